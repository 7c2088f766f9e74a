#include "pawl/model/function.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "pawl/model/native.hpp"
#include "pawl/model/program.hpp"
#include "pawl/model/rolled.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

namespace {

std::size_t at_index(int i) {
  return static_cast<std::size_t>(i);
}

template <class T>
struct FilesOf {
  std::vector<T> m, x;
};

// Working memory of one function in one thread.
struct Workspace {
  std::vector<double> h;
  bool is_fresh = true, is_prepared = false;
  Rolled::Work loops;
  std::tuple<FilesOf<double>, FilesOf<Gradient>, FilesOf<Pattern>, FilesOf<Interval>, FilesOf<Jet<double>>,
             FilesOf<Jet<Interval>>, FilesOf<Curvature>, FilesOf<Series>>
      files;
};

// Instructions from which on a search for loops is worth its time, and straight code begins to be slower than loops.
constexpr int least_rolled = 4000;

// The workspaces a thread keeps: few, so that a thousand functions that are gone leave nothing behind.
struct Cache {
  struct Slot {
    std::uint64_t function = 0;
    bool is_busy = false;
    std::unique_ptr<Workspace> workspace;
  };
  static constexpr std::uint64_t count = 64;
  std::array<Slot, count> slots;
};

// What evaluations of native code read: where the memory of a function is in this thread, side by side. A function that
// is not there is evaluated with a lease, which notes its memory here.
template <class T>
struct Found {
  std::uint64_t function = 0;
  T* m = nullptr;
  const double* h = nullptr;
  typename Native<T>::Code code = nullptr;
};
// Read at every evaluation. In a program its place is known when that is loaded; a library that is loaded later, as by
// Python, must not ask for such a place: there are few.
template <class T>
thread_local constinit std::array<Found<T>, Cache::count> found{};

// The one of this thread, which forgets what was noted when it ends.
Cache& cache() {
  struct Owner {
    Cache all;
    ~Owner() {
      found<double> = {};
      found<Gradient> = {};
    }
  };
  thread_local const std::unique_ptr<Owner> owner = std::make_unique<Owner>();
  return owner->all;
}

// A workspace for one evaluation. A function that is evaluated inside another, for at[dot(x)] say, has its own; where
// the place of a busy one would be needed, memory of the call.
class Lease {
 public:
  explicit Lease(std::uint64_t function) {
    const std::uint64_t place = function % Cache::count;
    Cache::Slot& slot = cache().slots[place];
    if (slot.is_busy) {
      own_ = std::make_unique<Workspace>();
      return;
    }
    if (slot.function != function) {
      found<double>[place] = {};
      found<Gradient>[place] = {};
      slot.workspace = std::make_unique<Workspace>();
      slot.function = function;
    }
    slot_ = &slot;
    slot.is_busy = true;
  }
  ~Lease() {
    if (slot_ != nullptr) slot_->is_busy = false;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Workspace& operator*() const { return slot_ != nullptr ? *slot_->workspace : *own_; }
  /// Whether the memory is still there after the call.
  bool is_kept() const { return slot_ != nullptr; }

 private:
  Cache::Slot* slot_ = nullptr;
  std::unique_ptr<Workspace> own_;
};

std::uint64_t next_function() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// Ranges note what they read, and patterns look at every handle; the others read the fields behind.
template <class T>
inline constexpr bool is_noted = std::is_same_v<T, Interval> || std::is_same_v<T, Pattern>;

template <class T>
double read_held(const double* parameters, const detail::Surroundings<T>* around, const Load& load) {
  const int i = load.index;
  if (load.kind == Op::parameter) return parameters[i];
  const Held& held = *around->held;
  if (load.kind == Op::number) return held.numbers[at_index(i)];
  if (load.kind == Op::mode) return held.modes[at_index(i)];
  return held.truths[at_index(i)];
}
template <class T>
double held_value(const Point<T>& at, const Load& load) {
  const int i = load.index;
  if constexpr (!is_noted<T>) {
    return read_held(at.parameters(), at.around(), load);
  } else {
    if (load.kind == Op::parameter) return at[Parameter{i}];
    if (load.kind == Op::number) return at[Discrete<double>{i}];
    if (load.kind == Op::mode) return at[Discrete<int>{i}];
    return at[Relation{i}];
  }
}

template <class T>
T moving_value(const Point<T>& at, const Load& load) {
  switch (load.kind) {
    case Op::time:
      return at.t;
    case Op::rate:
      return at[Rate{load.index}];
    case Op::relay:
      return at[Relay{load.index}];
    default:
      return at[Input{load.index}];
  }
}

template <class T>
inline constexpr bool is_lazy =
    std::is_same_v<T, Interval> || std::is_same_v<T, Jet<double>> || std::is_same_v<T, Jet<Interval>>;

}  // namespace

struct GraphFunction::Body {
  // What every call of native code reads, side by side.
  std::uint64_t number = next_function();
  bool is_quick = false;  // native code that reads nothing but states, time and what is held
  int time_slot = -1;     // where the time goes, of such functions; -1: it is not read
  const Load *loads = nullptr, *loads_end = nullptr;

  std::shared_ptr<const Graph> graph;
  std::vector<int> outputs;
  Program program;
  std::unique_ptr<const Native<double>> numbers;
  std::vector<int> straight;             // the rows that are in no loop
  std::unique_ptr<const Rolled> rolled;  // the loops; `rest` and native code do the other rows
  Program rest;

  Body(std::shared_ptr<const Graph> of, std::vector<int> made, Execution execution)
      : graph(std::move(of)), outputs(std::move(made)), program(*graph, outputs) {
    const bool is_wanted = execution == Execution::automatic && native_is_possible();
    straight = outputs;
    if (program.instructions() >= least_rolled) {
      std::vector<Loop> loops = roll(*graph, outputs);
      straight = rest_of(loops, outputs);
      if (!loops.empty()) rolled = std::make_unique<const Rolled>(*graph, outputs, std::move(loops), is_wanted);
      rest = Program(*graph, outputs, straight);
    }
    if (is_wanted) numbers = Native<double>::make(*graph, outputs, straight);
    is_quick = numbers != nullptr && rolled == nullptr;
    for (const Load& load : program.moving_loads()) {
      is_quick = is_quick && load.kind == Op::time;
      time_slot = load.slot;
    }
    loads = program.held_loads().data();
    loads_end = loads + program.held_loads().size();
  }

  template <class T>
  static constexpr bool may_be_native = std::is_same_v<T, double> || std::is_same_v<T, Gradient>;
  // Null where there is none. Code for duals is made when it is asked for: explicit methods never do.
  template <class T>
  const Native<T>* native_code() const {
    if constexpr (std::is_same_v<T, double>) {
      return numbers.get();
    } else {
      std::call_once(duals_asked_, [this] {
        if (numbers) duals_ = Native<Gradient>::make(*graph, outputs, loops_have_duals() ? straight : outputs);
      });
      return duals_.get();
    }
  }
  bool loops_have_duals() const { return rolled && rolled->has_duals(); }

  // Whether held values are those that h was computed from.
  template <class T>
  bool is_current(const double* parameters, const detail::Surroundings<T>* around, const double* h) const {
    for (const Load* load = loads; load != loads_end; ++load)
      if (!(h[load->slot] == read_held(parameters, around, *load))) return false;
    return true;
  }

  template <class T>
  int moving_size() const {
    if constexpr (may_be_native<T>) {
      if (const auto* native = native_code<T>()) return std::max(native->moving_size(), program.moving_size());
    }
    return program.moving_size();
  }

  template <class T>
  void load_held(const Point<T>& at, Workspace& work) const {
    bool has_changed = std::exchange(work.is_fresh, false);
    if (has_changed) work.h = program.held();
    for (const Load& load : program.held_loads()) {
      const double value = held_value(at, load);
      double& kept = work.h[at_index(load.slot)];
      has_changed = has_changed || !(kept == value);
      kept = value;
    }
    if (!has_changed) return;
    program.run_held(work.h.data());
    work.is_prepared = false;
  }

  template <class T>
  const T* states_of(const Point<T>& at, FilesOf<T>& files) const {
    if constexpr (is_lazy<T>) {
      const std::vector<int>& states = program.states();
      if (!states.empty() && files.x.empty()) files.x.resize(at_index(states.back()) + 1);
      for (const int i : states) files.x[at_index(i)] = at.states()[i];
      return files.x.data();
    } else {
      if constexpr (std::is_same_v<T, Pattern>) {
        for (const int i : program.states()) static_cast<void>(at[State{i}]);  // looked at
      }
      return at.states().array;
    }
  }

  template <class T>
  void run_loops(const T* m, const T* x, T* out, Workspace& work) const {
    if (!work.is_prepared) rolled->prepare(work.h.data(), work.loops);
    work.is_prepared = true;
    rolled->run(m, x, out, work.loops);
  }
  template <class T>
  void run(T* m, const T* x, T* out, Workspace& work) const {
    const double* h = work.h.data();
    if constexpr (may_be_native<T>) {
      const Native<T>* native = native_code<T>();
      const bool has_loops = std::is_same_v<T, double> ? rolled != nullptr : native != nullptr && loops_have_duals();
      if (has_loops) run_loops(m, x, out, work);
      if (native != nullptr) return native->run(m, h, x, out);
      if (has_loops) return rest.run(m, h, x, out);
    }
    program.run(m, h, x, out);
  }

 private:
  mutable std::once_flag duals_asked_;
  mutable std::unique_ptr<const Native<Gradient>> duals_;
};

GraphFunction::GraphFunction(std::shared_ptr<const Graph> graph, std::vector<int> outputs, Execution execution)
    : rows_(static_cast<int>(outputs.size())) {
  body_ = std::make_shared<const Body>(std::move(graph), std::move(outputs), execution);
}

bool GraphFunction::is_native() const {
  return body_->numbers != nullptr;
}
bool GraphFunction::is_rolled() const {
  return body_->rolled != nullptr;
}
const Graph& GraphFunction::graph() const {
  return *body_->graph;
}
const std::vector<int>& GraphFunction::outputs() const {
  return body_->outputs;
}

// On the way of every evaluation: native code whose memory is there, and current, is one jump away; so is the rest.
template <class T>
void GraphFunction::write(const Point<T>& at, T* out) const {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Gradient>) {
    const Body& body = *body_;
    const Found<T>& here = found<T>[body.number % Cache::count];
    if (here.function == body.number && body.is_current(at.parameters(), at.around(), here.h)) [[likely]] {
      if (body.time_slot >= 0) here.m[body.time_slot] = at.t;
      return here.code(here.m, here.h, at.states().array, out);
    }
  }
  write_with_lease(at, out);
}

template <class T>
[[gnu::noinline]] void GraphFunction::write_with_lease(const Point<T>& at, T* out) const {
  const Body& body = *body_;
  const Lease lease(body.number);
  Workspace& work = *lease;
  auto& files = std::get<FilesOf<T>>(work.files);
  if (files.m.empty()) files.m.resize(at_index(body.moving_size<T>()) + 1);
  for (const Load& load : body.program.moving_loads()) files.m[at_index(load.slot)] = moving_value(at, load);
  body.load_held(at, work);
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Gradient>) {
    if (const auto* native = body.native_code<T>(); native != nullptr && body.is_quick && lease.is_kept())
      found<T>[body.number % Cache::count] = {body.number, files.m.data(), work.h.data(), native->code()};
  }
  body.run(files.m.data(), body.states_of(at, files), out, work);
}

template void GraphFunction::write(const Point<double>&, double*) const;
template void GraphFunction::write(const Point<Gradient>&, Gradient*) const;
template void GraphFunction::write(const Point<Pattern>&, Pattern*) const;
template void GraphFunction::write(const Point<Interval>&, Interval*) const;
template void GraphFunction::write(const Point<Jet<double>>&, Jet<double>*) const;
template void GraphFunction::write(const Point<Jet<Interval>>&, Jet<Interval>*) const;
template void GraphFunction::write(const Point<Curvature>&, Curvature*) const;
template void GraphFunction::write(const Point<Series>&, Series*) const;

void GraphFunction::refuse_rows(int count) const {
  throw Misuse(fmt::format("a graph with {} output{} is used where {} {} wanted", rows_, rows_ == 1 ? "" : "s", count,
                           count == 1 ? "is" : "are"));
}

std::optional<NotFinite> GraphFunction::first_not_finite(const Point<double>& at) const {
  return model::first_not_finite(*body_->graph, body_->outputs, [&](Op kind, int index) {
    if (kind == Op::state) return at[State{index}];
    const Load load{kind, index, 0};
    return is_moving_input(kind) ? moving_value(at, load) : held_value(at, load);
  });
}

std::string GraphFunction::why_not_finite(const Point<double>& at) const {
  const std::optional<NotFinite> found = first_not_finite(at);
  return found ? found->text : std::string();
}

}  // namespace pawl::model
