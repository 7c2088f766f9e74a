# Debian's SuiteSparse has no CMake package: pawl::klu is KLU with what it needs.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
add_library(pawl_klu INTERFACE)
add_library(pawl::klu ALIAS pawl_klu)
target_include_directories(pawl_klu SYSTEM INTERFACE $<BUILD_INTERFACE:${KLU_INCLUDE_DIR}>)
foreach(part klu btf amd colamd suitesparseconfig)
  find_library(KLU_${part}_LIBRARY ${part} REQUIRED)
  target_link_libraries(pawl_klu INTERFACE ${KLU_${part}_LIBRARY})
endforeach()
