// Memory: what the parts of a run remember, as values: saved, and given back to the same run or to another of the same
// kind, which then goes on with the same bits.
//
//   void carry(Memory& memory) override { memory(t_, step_size_, past_); }
//
// One function per part serves both ways. A part that cannot be copied refuses; the run is then saved as the way it
// came about, and taken that way again.
#pragma once

#include <any>
#include <cstddef>
#include <memory>
#include <vector>

namespace pawl {

class Memory {
 public:
  using Saved = std::vector<std::any>;

  /// Saves what it is shown.
  Memory() = default;
  /// Gives back what was saved, in the same order.
  explicit Memory(const Saved& saved) : source_(&saved) {}

  bool is_saving() const { return source_ == nullptr; }

  /// Saves the values, or assigns those that were saved.
  template <class... T>
  void operator()(T&... values) {
    (carry(values), ...);
  }

  /// This part cannot be copied.
  void refuse() { is_refused_ = true; }
  bool is_refused() const { return is_refused_; }

  std::shared_ptr<const Saved> take() { return std::make_shared<const Saved>(std::move(saved_)); }

 private:
  template <class T>
  void carry(T& value) {
    if (is_saving())
      saved_.emplace_back(value);
    else
      value = std::any_cast<const T&>((*source_)[next_++]);
  }

  Saved saved_;
  const Saved* source_ = nullptr;
  std::size_t next_ = 0;
  bool is_refused_ = false;
};

}  // namespace pawl
