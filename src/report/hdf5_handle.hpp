// What HDF5 gives must be closed, and what it says must be listened to.
#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string>

namespace pawl::hdf5 {

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id_ < 0) throw std::runtime_error(std::string("HDF5 cannot make ") + what);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }  // NOLINT: it stands for the number

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline void check(herr_t state, const char* what) {
  if (state < 0) throw std::runtime_error(std::string("HDF5 cannot write ") + what);
}

}  // namespace pawl::hdf5
