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
/// A quantity given from outside as a course over time.
struct Input {
  int index;
};
/// A variable that is held between events: bool, int, an enum (part of the mode), or double.
template <class E>
struct Discrete {
  int index;
};
/// A relation g > 0 whose truth is held between events.
struct Condition {
  int index;
};
/// Many relations declared at once, g(at, i, j) > 0; reading it lists the members that hold.
struct ConditionFamily {
  int index;
};
/// A switch with two levels, or the equivalent control while the motion slides on its surface.
struct Relay {
  int index;
};
/// A guard declaration; for a family, all its members.
struct Guard {
  int index;
};
/// The rate of a state, read as at[dot(x)].
struct Rate {
  int index;
};
constexpr Rate dot(State x) {
  return {x.index};
}

/// A coordinate of a mechanism: at[x] is its position, at[dot(x)] its speed, a state of its own.
struct Coordinate : State {
  int speed;
};
constexpr State dot(Coordinate x) {
  return {x.speed};
}
/// An orientation in space: a unit quaternion (scalar part first) and the angular velocity in the axes of the body.
struct Attitude {
  int first, first_speed;

  constexpr State operator[](int i) const { return {first + i}; }
  constexpr State speed(int axis) const { return {first_speed + axis}; }
};
/// A constraint; at[c] is its multiplier. One with several rows has one each: at[c[1]].
struct Constraint {
  int index;

  constexpr Constraint operator[](int row) const { return {index + row}; }
};

/// Which member of a family: the two numbers its function is called with.
struct Pair {
  int i = 0, j = 0;
  constexpr bool operator==(const Pair&) const = default;
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
