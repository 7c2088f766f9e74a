// Handles: typed indices into a System. A handle of the wrong kind does not compile, one of another System is refused
// when the model is compiled for a run, and the same handle reads a state inside a model function, at the start of a
// run and in its result.
#pragma once

namespace pawl {

// `model` says which System gave the handle (copies of a System share it); 0: made by hand, valid by its index.
struct State {
  int index;
  int model = 0;
};
struct Parameter {
  int index;
  int model = 0;
};
struct Observable {
  int index;
  int model = 0;
};
/// A quantity given from outside as a course over time.
struct Input {
  int index;
  int model = 0;
};
/// A variable that is held between events: bool, int, an enum (part of the mode), double, or any other type that can be
/// copied and compared.
template <class E>
struct Discrete {
  int index;
  int model = 0;
};
/// A relation g > 0 whose truth is held between events.
struct Condition {
  int index;
  int model = 0;
};
/// The sign -1, 0 or 1 of a difference, held between events; w > 0, w < 0, w == 0 are propositions.
struct Relation {
  int index;
  int model = 0;
};
/// Many relations declared at once, g(at, i, j) > 0; reading it lists the members that hold.
struct ConditionFamily {
  int index;
  int model = 0;
};
/// A switch with two levels, or the equivalent control while the motion slides on its surface.
struct Relay {
  int index;
  int model = 0;
};
/// A guard declaration; for a family, all its members.
struct Guard {
  int index;
  int model = 0;
};
/// Something that happens at a known time; scheduled again by Jump::schedule.
struct TimeEvent {
  int index;
  int model = 0;
};
/// The rate of a state, read as at[dot(x)].
struct Rate {
  int index;
  int model = 0;
};
constexpr Rate dot(State x) {
  return {x.index, x.model};
}

/// A coordinate of a mechanism: at[x] is its position, at[dot(x)] its speed, a state of its own.
struct Coordinate : State {
  int speed;
};
constexpr State dot(Coordinate x) {
  return {x.speed, x.model};
}
/// An orientation in space: a unit quaternion (scalar part first) and the angular velocity in the axes of the body.
struct Attitude {
  int first, first_speed;
  int model = 0;

  constexpr State operator[](int i) const { return {first + i, model}; }
  constexpr State speed(int axis) const { return {first_speed + axis, model}; }
};
/// A constraint; at[c] is its multiplier. One with several rows has one each: at[c[1]].
struct Constraint {
  int index;
  int model = 0;

  constexpr Constraint operator[](int row) const { return {index + row, model}; }
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
  int model = 0;

  constexpr Handle operator[](int i) const { return Handle{first + i, model}; }
  constexpr int size() const { return count; }

  struct Iterator {
    int index, model;
    constexpr Handle operator*() const { return Handle{index, model}; }
    constexpr Iterator& operator++() {
      ++index;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;
  };
  constexpr Iterator begin() const { return {first, model}; }
  constexpr Iterator end() const { return {first + count, model}; }
};

}  // namespace pawl
