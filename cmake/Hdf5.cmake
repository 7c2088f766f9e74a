# HDF5's C library, for files of samples; optional. CMake's own module wants a C compiler, which this project does not use.
find_path(HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
set(HDF5_FOUND OFF)
if(HDF5_INCLUDE AND HDF5_LIBRARY)
  set(HDF5_FOUND ON)
  add_library(hdf5::hdf5 UNKNOWN IMPORTED)
  set_target_properties(hdf5::hdf5 PROPERTIES IMPORTED_LOCATION ${HDF5_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${HDF5_INCLUDE})
endif()
