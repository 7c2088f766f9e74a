// Handles: typed indices into a System. A handle of the wrong kind does not compile, and the same handle reads a state
// inside a model function, at the start of a run and in its result.
#pragma once

namespace pawl {

struct State {
  int index;
};
struct Parameter {
  int index;
};
struct Observable {
  int index;
};

/// A row of handles declared together: q[0], q[1], ... or `for (State x : q)`.
template <class Handle>
struct Block {
  int first, count;

  constexpr Handle operator[](int i) const { return Handle{first + i}; }
  constexpr int size() const { return count; }

  struct Iterator {
    int index;
    constexpr Handle operator*() const { return Handle{index}; }
    constexpr Iterator& operator++() {
      ++index;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;
  };
  constexpr Iterator begin() const { return {first}; }
  constexpr Iterator end() const { return {first + count}; }
};

}  // namespace pawl
