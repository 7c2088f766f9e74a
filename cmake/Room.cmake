# A room is one library target that sees only its own headers and those of the rooms it uses.
#
#   pawl_room(integrate USES system PUBLIC_HEADERS step.hpp ... SOURCES step.cpp ...)
#
# Sources are written as "room/file.hpp" and "pawl/file.hpp". Each room gets an include folder in the build tree that links
# to its own headers alone, so an include of a room further down does not compile.

add_library(pawl_flags INTERFACE)
target_compile_options(pawl_flags INTERFACE -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow> $<$<BOOL:${PAWL_WERROR}>:-Werror>)
# The code is position independent, for the Python package, but nobody replaces functions of it at run time: without
# this gcc inlines none that is not declared inline.
target_compile_options(pawl_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
# Where there is memory for it (two compilers take up to 3 GB) gcc looks for garbage less often: a twentieth of the time it takes.
cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
if(megabytes GREATER 6000)
  target_compile_options(pawl_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
endif()
# A loop that clang is asked to vectorize and does not, at -O1 above all, is no error.
target_compile_options(pawl_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
if(PAWL_SANITIZE MATCHES undefined)
  # Else every reference that is bound is checked for null and alignment, which is half of the code to compile.
  set(not_sanitized -fno-sanitize=null,alignment,object-size)
endif()
if(PAWL_SANITIZE)
  target_compile_options(pawl_flags INTERFACE -fsanitize=${PAWL_SANITIZE} ${not_sanitized} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(pawl_flags INTERFACE -fsanitize=${PAWL_SANITIZE})
endif()

function(pawl_room NAME)
  cmake_parse_arguments(ROOM "" "" "USES;LIBRARIES;PRIVATE_LIBRARIES;PUBLIC_HEADERS;SOURCES" ${ARGN})
  set(include_dir ${CMAKE_BINARY_DIR}/rooms/${NAME})
  file(REMOVE_RECURSE ${include_dir})
  file(MAKE_DIRECTORY ${include_dir}/pawl)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${NAME} ${include_dir}/${NAME} SYMBOLIC)
  foreach(header IN LISTS ROOM_PUBLIC_HEADERS)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/pawl/${header} ${include_dir}/pawl/${header} SYMBOLIC)
  endforeach()

  list(TRANSFORM ROOM_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${NAME}/)
  set(target pawl_${NAME})
  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include_dir}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM ROOM_USES PREPEND pawl_)
  target_link_libraries(${target} PUBLIC ${ROOM_USES} ${ROOM_LIBRARIES}
                                  PRIVATE $<BUILD_INTERFACE:pawl_flags> ${ROOM_PRIVATE_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY PAWL_ROOMS ${target})
endfunction()
