# CVODE and IDA as the distribution packages them. Its own CMake package drags in every optional part (MPI, Trilinos), so
# the two libraries are taken as they are. Hot loops do not run in them: src/integrate/sundials_parts.hpp says why.
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h REQUIRED)
add_library(pawl_sundials INTERFACE)
add_library(pawl::sundials ALIAS pawl_sundials)
target_include_directories(pawl_sundials SYSTEM INTERFACE $<BUILD_INTERFACE:${SUNDIALS_INCLUDE_DIR}>)
foreach(part cvode ida nvecserial sunlinsolspgmr)
  find_library(SUNDIALS_${part}_LIBRARY sundials_${part} REQUIRED)
  target_link_libraries(pawl_sundials INTERFACE ${SUNDIALS_${part}_LIBRARY})
endforeach()
