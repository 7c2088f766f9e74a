# Adds pawl_small to a tree of pawl, of this version or of 0.5, that is not told of it: scripts/beside_0.5.
cmake_language(DEFER CALL add_executable pawl_small ${CMAKE_CURRENT_LIST_DIR}/small.cpp)
cmake_language(DEFER CALL target_link_libraries pawl_small PRIVATE pawl_problems)
cmake_language(DEFER CALL target_include_directories pawl_small PRIVATE src)
