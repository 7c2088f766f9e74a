# Debian's asmjit as it is: an archive and headers. pawl::asmjit is empty where there is none; models as data are then
# interpreted, with the same results.
find_path(ASMJIT_INCLUDE_DIR asmjit/asmjit.h)
find_library(ASMJIT_LIBRARY asmjit)
add_library(pawl_asmjit INTERFACE)
add_library(pawl::asmjit ALIAS pawl_asmjit)
if(ASMJIT_INCLUDE_DIR AND ASMJIT_LIBRARY AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(PAWL_HAS_ASMJIT ON)
  target_include_directories(pawl_asmjit SYSTEM INTERFACE $<BUILD_INTERFACE:${ASMJIT_INCLUDE_DIR}>)
  target_link_libraries(pawl_asmjit INTERFACE ${ASMJIT_LIBRARY} rt)
  target_compile_definitions(pawl_asmjit INTERFACE $<BUILD_INTERFACE:ASMJIT_STATIC>)
else()
  set(PAWL_HAS_ASMJIT OFF)
endif()
