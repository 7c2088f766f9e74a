# Adds pawl_small to the tree of version 0.5, which does not know of it: scripts/beside_0.5. Deferred calls look at variables
# when they are made, so the place of this file is kept in one.
set(pawl_small_source ${CMAKE_CURRENT_LIST_DIR}/small.cpp)
cmake_language(DEFER CALL add_executable pawl_small ${pawl_small_source})
cmake_language(DEFER CALL target_link_libraries pawl_small PRIVATE pawl_problems)
cmake_language(DEFER CALL set_target_properties pawl_small PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
