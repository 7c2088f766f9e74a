# CVODE and IDA as the distribution packages them. Its own CMake package drags in every optional part (MPI, Trilinos), so
# the libraries are taken as they are. Hot loops do not run in them: src/integrate/sundials_parts.hpp says why.
#
# Debian's are compiled without optimization. For comparisons, PAWL_SUNDIALS names the folder of an optimized static build
# (scripts/sundials makes one, with KLU), and everything is linked with that instead.
set(PAWL_SUNDIALS "" CACHE PATH "an optimized static build of SUNDIALS, instead of the packaged one")
if(PAWL_SUNDIALS)
  if(NOT EXISTS ${PAWL_SUNDIALS}/lib/libsundials_sunlinsolklu.a)
    message(FATAL_ERROR "no SUNDIALS with KLU in PAWL_SUNDIALS = ${PAWL_SUNDIALS}: scripts/sundials builds it")
  endif()
  set(sundials_include ${PAWL_SUNDIALS}/include)
else()
  find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h REQUIRED)
  set(sundials_include ${SUNDIALS_INCLUDE_DIR})
endif()

function(pawl_sundials_parts TARGET)
  foreach(part ${ARGN})
    if(PAWL_SUNDIALS)
      target_link_libraries(${TARGET} INTERFACE ${PAWL_SUNDIALS}/lib/libsundials_${part}.a)
    else()
      find_library(SUNDIALS_${part}_LIBRARY sundials_${part} REQUIRED)
      target_link_libraries(${TARGET} INTERFACE ${SUNDIALS_${part}_LIBRARY})
    endif()
  endforeach()
endfunction()

# What the methods bdf and adams need.
add_library(pawl_sundials INTERFACE)
add_library(pawl::sundials ALIAS pawl_sundials)
target_include_directories(pawl_sundials SYSTEM INTERFACE $<BUILD_INTERFACE:${sundials_include}>)
pawl_sundials_parts(pawl_sundials cvode ida nvecserial sunlinsolspgmr)

# What a comparison with them, used directly, needs beside that: their own linear solvers.
add_library(pawl_sundials_peers INTERFACE)
pawl_sundials_parts(pawl_sundials_peers sunlinsolklu sunmatrixsparse sunlinsoldense sunmatrixdense)
target_link_libraries(pawl_sundials_peers INTERFACE pawl_sundials pawl_klu)
target_compile_definitions(pawl_sundials_peers INTERFACE PAWL_HAS_OPTIMIZED_SUNDIALS=$<BOOL:${PAWL_SUNDIALS}>)
