#include "problems/granular.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace pawl::granular {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

struct Vector {
  double x, y, z;
};
Vector operator+(Vector a, Vector b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator-(Vector a, Vector b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator*(double s, Vector a) {
  return {s * a.x, s * a.y, s * a.z};
}
double dot(Vector a, Vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Vector read(const double* numbers, int i) {
  return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}
void add(double* numbers, int i, Vector a) {
  numbers[3 * i] += a.x;
  numbers[3 * i + 1] += a.y;
  numbers[3 * i + 2] += a.z;
}

double wall_stiffness(const Grains& grains) {
  return std::sqrt(2.0) * grains.stiffness;
}

/// Planes of the box: the unit vector into the box, and its distance from the origin along it.
struct Plane {
  Vector inward;
  double offset;
};
std::array<Plane, 5> planes_of(const Grains& grains) {
  const double w = -grains.half_width;
  return {{{{0, 0, 1}, 0}, {{1, 0, 0}, w}, {{-1, 0, 0}, w}, {{0, 1, 0}, w}, {{0, -1, 0}, w}}};
}

/// Two bodies that touch, seen from the second.
struct Contact {
  int i, j;  // j: a sphere, or beyond them a wall
  double stiffness, overlap;
  double arm;         // from the centre of a sphere to the contact
  Vector n;           // towards the first
  Vector v, spin;     // of the contact point, of the body
  Vector slip, turn;  // since the last instant
  int spring = -1;    // in the table, if it has one
};

/// What a contact does to its first body.
struct Push {
  Vector force, moment;  // moment: of rolling resistance
  double power;          // into damper, friction and rolling resistance
};

/// The resistance of spring and damper, at most `limit`.
Vector resistance(double stiffness, Vector displacement, double damping, Vector rate, double limit) {
  const Vector wanted = stiffness * displacement + damping * rate;
  const double size = std::sqrt(dot(wanted, wanted));
  return size <= limit ? wanted : (limit / size) * wanted;
}

Vector along(Vector n, Vector a) {
  return a - dot(n, a) * n;
}

/// Displacements of the springs of a contact: held, and since then.
struct Displacements {
  Vector slip = {}, turn = {};
};
Displacements displacements(const Contact& contact, const double* springs) {
  if (contact.spring < 0) return {};
  return {along(contact.n, read(springs, 2 * contact.spring) + contact.slip),
          read(springs, 2 * contact.spring + 1) + contact.turn};
}

double normal_force(const Grains& grains, const Contact& contact) {
  const double root = std::sqrt(contact.overlap), parting = dot(contact.n, contact.v);
  return std::max(0.0, contact.stiffness * root * (contact.overlap - 1.5 * grains.dissipation_time * parting));
}

Push push(const Grains& grains, const Contact& contact, const double* springs) {
  const double parting = dot(contact.n, contact.v), normal = normal_force(grains, contact);
  const double spring = contact.stiffness * contact.overlap * std::sqrt(contact.overlap);
  const Vector sliding = along(contact.n, contact.v);
  const auto [slip, turn] = displacements(contact, springs);
  const Vector friction =
      resistance(grains.grip_stiffness, slip, grains.grip_damping, sliding, grains.friction * normal);
  const Vector rolling = resistance(grains.roll_stiffness, turn, grains.roll_damping, contact.spin,
                                    grains.rolling_friction * grains.radius * normal);
  return {normal * contact.n - friction, -1 * rolling,
          (spring - normal) * parting + dot(friction, sliding) + dot(rolling, contact.spin)};
}

constexpr int walls = 5;

double key_of(int count, int i, int j) {
  return 1 + static_cast<double>(i) * (count + walls) + j;
}

/// Where the key is in the table, or the free place where it belongs; -1: the table is full.
int place_of(double key, const double* keys, int size) {
  auto place = static_cast<int>(static_cast<unsigned long long>(key) * 0x9E3779B97F4A7C15ULL >> 32U) % size;
  place = place < 0 ? place + size : place;
  for (int tried = 0; tried < size; ++tried, place = place + 1 < size ? place + 1 : 0) {
    if (keys[place] == key || keys[place] == 0) return place;
  }
  return -1;
}

}  // namespace

// ---- pairs that may touch ----

NeighbourList::NeighbourList(int count)
    : count_(count), built_at_(3 * at(count)), cells_(at(count)), sorted_(at(count)), first_(at(count) + 1) {
  std::size_t buckets = 1;
  while (buckets < 2 * at(count)) buckets *= 2;
  mask_ = buckets - 1;
  bucket_begins_.resize(buckets + 2);
}

bool NeighbourList::covers(const double* position, double reach) const {
  if (reach != reach_) return false;
  const double allowed = skin_ * skin_ / 4;
  for (int i = 0; i < count_; ++i) {
    const Vector moved = read(position, i) - read(built_at_.data(), i);
    if (!(dot(moved, moved) <= allowed)) return false;
  }
  return true;
}

std::size_t NeighbourList::bucket_of(Cell cell) const {
  const auto mixed = static_cast<unsigned>(cell.x) * 73856093U ^ static_cast<unsigned>(cell.y) * 19349663U ^
                     static_cast<unsigned>(cell.z) * 83492791U;  // Teschner et al., VMV 2003
  return mixed & mask_;
}

void NeighbourList::build(const double* position, double reach, double skin) {
  reach_ = reach;
  skin_ = skin;
  tests_ = 0;
  std::copy(position, position + 3 * count_, built_at_.begin());
  // Spheres by bucket, ascending within one: counts, ends of buckets, and from each end backwards to its begin.
  const double width = reach + skin;
  std::fill(bucket_begins_.begin(), bucket_begins_.end(), 0);
  for (int i = 0; i < count_; ++i) {
    const Vector p = read(position, i);
    cells_[at(i)] = {static_cast<int>(std::floor(p.x / width)), static_cast<int>(std::floor(p.y / width)),
                     static_cast<int>(std::floor(p.z / width))};
    ++bucket_begins_[bucket_of(cells_[at(i)]) + 1];
  }
  std::partial_sum(bucket_begins_.begin(), bucket_begins_.end(), bucket_begins_.begin());
  for (int i = count_; i-- > 0;) sorted_[at(--bucket_begins_[bucket_of(cells_[at(i)]) + 1])] = i;
  partners_.clear();
  for (int i = 0; i < count_; ++i) {
    first_[at(i)] = partners_.size();
    const Vector p = read(position, i);
    const Cell own = cells_[at(i)];
    for (int x = own.x - 1; x <= own.x + 1; ++x) {
      for (int y = own.y - 1; y <= own.y + 1; ++y) {
        for (int z = own.z - 1; z <= own.z + 1; ++z) {
          const std::size_t bucket = bucket_of({x, y, z});
          for (int k = bucket_begins_[bucket + 1]; k < bucket_begins_[bucket + 2]; ++k) {
            const int j = sorted_[at(k)];
            if (j <= i || !(cells_[at(j)] == Cell{x, y, z})) continue;  // another cell may share the bucket
            ++tests_;
            const Vector apart = p - read(position, j);
            if (dot(apart, apart) <= width * width) partners_.push_back(j);
          }
        }
      }
    }
    std::sort(partners_.begin() + static_cast<std::ptrdiff_t>(first_[at(i)]), partners_.end());
  }
  first_[at(count_)] = partners_.size();
}

// ---- forces ----

/// A list for the length of one evaluation. Which one does not matter: every list contains all contacts.
class Forces::BorrowedList {
 public:
  explicit BorrowedList(const Forces& owner) : owner_(owner) {
    {
      const std::lock_guard guard(owner_.lock_);
      if (!owner_.idle_lists_.empty()) {
        list_ = std::move(owner_.idle_lists_.back());
        owner_.idle_lists_.pop_back();
      }
    }
    if (!list_) list_ = std::make_unique<NeighbourList>(owner_.count_);
  }
  ~BorrowedList() {
    const std::lock_guard guard(owner_.lock_);
    owner_.idle_lists_.push_back(std::move(list_));
  }
  BorrowedList(const BorrowedList&) = delete;
  BorrowedList& operator=(const BorrowedList&) = delete;
  NeighbourList* operator->() { return list_.get(); }

 private:
  const Forces& owner_;
  std::unique_ptr<NeighbourList> list_;
};

// visit(i, j, p_i - p_j, distance²) for i < j nearer than a diameter, in order.
template <class Visit>
void Forces::visit_pairs(const Grains& grains, const double* position, const Visit& visit) const {
  const double reach = 2 * grains.radius;
  const auto test = [&](int i, Vector p, int j) {
    const Vector apart = p - read(position, j);
    const double squared = dot(apart, apart);
    if (squared < reach * reach) visit(i, j, apart, squared);
  };
  long long tests = 0;
  if (skin_ < 0) {
    for (int i = 0; i < count_; ++i) {
      const Vector p = read(position, i);
      for (int j = i + 1; j < count_; ++j) test(i, p, j);
    }
    tests = static_cast<long long>(count_) * (count_ - 1) / 2;
  } else {
    BorrowedList list(*this);
    if (!list->covers(position, reach)) {
      list->build(position, reach, skin_ * grains.radius);
      lists_.fetch_add(1, std::memory_order_relaxed);
      list_tests_.fetch_add(list->tests(), std::memory_order_relaxed);
    }
    for (int i = 0; i < count_; ++i) {
      const Vector p = read(position, i);
      for (const int j : list->partners(i)) test(i, p, j);
    }
    tests = list->size();
  }
  evaluations_.fetch_add(1, std::memory_order_relaxed);
  pair_tests_.fetch_add(tests, std::memory_order_relaxed);
}

// visit(contact) for all contacts that are not between spheres asleep: pairs, then walls.
template <class Visit>
void Forces::visit_contacts(const Grains& grains, const Motion& motion, const HeldGrips& held,
                            const Visit& visit) const {
  const int size = HeldGrips::springs_of(count_);
  const auto is_asleep = [&](int i) { return held.stage[i] >= HeldGrips::asleep; };
  const auto is_slow = [&](int i) { return held.stage[i] >= HeldGrips::slow; };
  const auto moved = [&](int i) { return read(motion.position, i) - read(held.position, i); };
  const auto find_spring = [&](Contact& contact) {
    const int place = place_of(key_of(count_, contact.i, contact.j), held.keys, size);
    contact.spring = place >= 0 && held.keys[place] != 0 ? place : -1;
  };
  visit_pairs(grains, motion.position, [&](int i, int j, Vector apart, double squared) {
    if (is_asleep(i) && is_asleep(j)) return;
    const double distance = std::sqrt(squared), arm = distance / 2;
    const Vector n = (1 / distance) * apart, spin_i = read(motion.spin, i), spin_j = read(motion.spin, j);
    Contact contact{i,
                    j,
                    grains.stiffness,
                    2 * grains.radius - distance,
                    arm,
                    n,
                    read(motion.velocity, i) - read(motion.velocity, j) - arm * cross(spin_i + spin_j, n),
                    spin_i - spin_j,
                    {},
                    {}};
    if (is_slow(i) && is_slow(j)) {
      const Vector turn_i = read(motion.turn, i), turn_j = read(motion.turn, j);
      find_spring(contact);
      contact.slip = moved(i) - moved(j) - arm * cross(turn_i + turn_j, n);
      contact.turn = turn_i - turn_j;
    }
    visit(contact);
  });
  const auto planes = planes_of(grains);
  for (int i = 0; i < count_; ++i) {
    if (is_asleep(i)) continue;
    const Vector p = read(motion.position, i);
    for (int wall = 0; wall < walls; ++wall) {
      const Vector n = planes[at(wall)].inward;
      const double height = dot(n, p) - planes[at(wall)].offset;
      if (!(height < grains.radius)) continue;
      const Vector spin = read(motion.spin, i);
      Contact contact{i,
                      count_ + wall,
                      wall_stiffness(grains),
                      grains.radius - height,
                      height,
                      n,
                      read(motion.velocity, i) - height * cross(spin, n),
                      spin,
                      {},
                      {}};
      if (is_slow(i)) {
        find_spring(contact);
        contact.turn = read(motion.turn, i);
        contact.slip = moved(i) - height * cross(contact.turn, n);
      }
      visit(contact);
    }
  }
}

double Forces::accelerations(const Grains& grains, const Motion& motion, const HeldGrips& held, double* velocity_rate,
                             double* spin_rate) const {
  const double farthest = 1e8 * grains.radius;  // cells have numbers
  if (!std::all_of(motion.position, motion.position + 3 * count_, [=](double x) { return std::abs(x) < farthest; })) {
    std::fill(velocity_rate, velocity_rate + 3 * count_, std::numeric_limits<double>::quiet_NaN());
    std::fill(spin_rate, spin_rate + 3 * count_, std::numeric_limits<double>::quiet_NaN());
    return 0;
  }
  const double per_mass = 1 / grains.mass, per_inertia = 1 / grains.inertia();
  double power = 0;
  for (int i = 0; i < count_; ++i) {
    velocity_rate[3 * i] = velocity_rate[3 * i + 1] = 0;
    velocity_rate[3 * i + 2] = -grains.gravity;
    spin_rate[3 * i] = spin_rate[3 * i + 1] = spin_rate[3 * i + 2] = 0;
  }
  visit_contacts(grains, motion, held, [&](const Contact& contact) {
    const Push on = push(grains, contact, held.springs);
    const Vector torque = -contact.arm * cross(contact.n, on.force);  // the same on both
    add(velocity_rate, contact.i, per_mass * on.force);
    add(spin_rate, contact.i, per_inertia * (torque + on.moment));
    if (contact.j < count_) {
      add(velocity_rate, contact.j, -per_mass * on.force);
      add(spin_rate, contact.j, per_inertia * (torque - on.moment));
    }
    power += on.power;
  });
  for (int i = 0; i < count_; ++i) {
    if (held.stage[i] < HeldGrips::asleep) continue;
    for (int k = 3 * i; k < 3 * i + 3; ++k) velocity_rate[k] = spin_rate[k] = 0;
  }
  return power;
}

void Forces::update_springs(const Grains& grains, const Motion& motion, const HeldGrips& held,
                            const std::vector<char>& may_have, double* keys, double* springs) const {
  const int size = HeldGrips::springs_of(count_);
  std::fill(keys, keys + size, 0.0);
  std::fill(springs, springs + 6 * size, 0.0);
  const auto keep = [&](int i, int j, Displacements now) {
    const int place = place_of(key_of(count_, i, j), keys, size);
    if (place < 0) return;  // more contacts than springs: this one has dampers alone
    keys[place] = key_of(count_, i, j);
    add(springs, 2 * place, now.slip);
    add(springs, 2 * place + 1, now.turn);
  };
  visit_contacts(grains, motion, held, [&](const Contact& contact) {
    if (!may_have[at(contact.i)] || (contact.j < count_ && !may_have[at(contact.j)])) return;
    Displacements now = displacements(contact, held.springs);
    const double normal = normal_force(grains, contact);
    now.slip = resistance(1, now.slip, 0, {}, grains.friction * normal / grains.grip_stiffness);
    now.turn = resistance(1, now.turn, 0, {}, grains.rolling_friction * grains.radius * normal / grains.roll_stiffness);
    keep(contact.i, contact.j, now);
  });
  // What sleeps was not visited; nothing has moved there.
  for (int old = 0; old < size; ++old) {
    const auto key = static_cast<long long>(held.keys[old]) - 1;
    if (key < 0) continue;
    const auto i = static_cast<int>(key / (count_ + walls)), j = static_cast<int>(key % (count_ + walls));
    const auto sleeps = [&](int k) { return k >= count_ || held.stage[k] >= HeldGrips::asleep; };
    if (sleeps(i) && sleeps(j)) keep(i, j, {read(held.springs, 2 * old), read(held.springs, 2 * old + 1)});
  }
}

double Forces::elastic_energy(const Grains& grains, const double* position) const {
  const auto stored = [](double stiffness, double overlap) {
    return 0.4 * stiffness * overlap * overlap * std::sqrt(overlap);
  };
  double sum = 0;
  visit_pairs(grains, position, [&](int, int, Vector, double squared) {
    sum += stored(grains.stiffness, 2 * grains.radius - std::sqrt(squared));
  });
  const auto planes = planes_of(grains);
  for (int i = 0; i < count_; ++i) {
    for (const Plane& plane : planes) {
      const double overlap = grains.radius - (dot(plane.inward, read(position, i)) - plane.offset);
      if (overlap > 0) sum += stored(wall_stiffness(grains), overlap);
    }
  }
  return sum;
}

std::vector<int> Forces::islands(const Grains& grains, const double* position) const {
  std::vector<int> parent(at(count_));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root_of = [&](int i) {
    while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
    return i;
  };
  visit_pairs(grains, position, [&](int i, int j, Vector, double) {
    const int a = root_of(i), b = root_of(j);
    parent[at(std::max(a, b))] = std::min(a, b);
  });
  for (int i = 0; i < count_; ++i) parent[at(i)] = root_of(i);
  return parent;
}

ForceWork Forces::work() const {
  return {evaluations_, pair_tests_, lists_, list_tests_};
}

// ---- rest ----

double kinetic_energy(const Grains& grains, const Motion& motion, int i) {
  const Vector v = read(motion.velocity, i), spin = read(motion.spin, i);
  return (grains.mass * dot(v, v) + grains.inertia() * dot(spin, spin)) / 2;
}

namespace {

struct Island {
  double energy = 0, least_stage = HeldGrips::asleep, highest_stage = 0;
  int spheres = 0;
  bool is_calm = false, is_disturbed = false;
};

// Islands asleep that a sphere of an island that is not calm could reach before the next instant.
void disturb(std::vector<Island>& islands, const std::vector<int>& island_of, const Grains& grains,
             const double* position, const double* velocity, const double* stage) {
  const int count = static_cast<int>(island_of.size());
  const auto speed_of = [&](int i) { return std::sqrt(dot(read(velocity, i), read(velocity, i))); };
  const auto reach_at = [&](double speed) {
    return 2 * grains.radius + (speed + grains.gravity * Rest::period) * Rest::period;
  };
  double fastest = 0;
  for (int i = 0; i < count; ++i) fastest = std::max(fastest, speed_of(i));
  NeighbourList list(count);
  list.build(position, reach_at(fastest), 0);
  for (int i = 0; i < count; ++i) {
    for (const int j : list.partners(i)) {
      const bool i_sleeps = stage[i] >= HeldGrips::asleep, j_sleeps = stage[j] >= HeldGrips::asleep;
      if (i_sleeps == j_sleeps || islands[at(island_of[at(i_sleeps ? j : i)])].is_calm) continue;
      const Vector apart = read(position, i) - read(position, j);
      const double reach = reach_at(speed_of(i_sleeps ? j : i));
      if (dot(apart, apart) < reach * reach) islands[at(island_of[at(i_sleeps ? i : j)])].is_disturbed = true;
    }
  }
}

}  // namespace

double Rest::judge(const Forces& forces, const Grains& grains, const double* position, double* velocity, double* spin,
                   double* turn, const HeldParts<double>& held) {
  const int count = forces.count();
  double* const stage = held.stage;
  const Motion motion{position, velocity, spin, turn};
  const std::vector<int> island_of = forces.islands(grains, position);
  std::vector<Island> islands(at(count));  // by the smallest index in them
  bool has_sleeper = false, has_mover = false;
  for (int i = 0; i < count; ++i) {
    Island& island = islands[at(island_of[at(i)])];
    island.energy += kinetic_energy(grains, motion, i);
    island.least_stage = std::min(island.least_stage, stage[i]);
    island.highest_stage = std::max(island.highest_stage, stage[i]);
    ++island.spheres;
    (stage[i] >= HeldGrips::asleep ? has_sleeper : has_mover) = true;
  }
  const double unit = grains.mass * grains.gravity * grains.radius;
  for (Island& island : islands) {
    island.is_calm = island.energy < calm * unit * island.spheres;
    island.is_disturbed = island.highest_stage >= HeldGrips::asleep && island.least_stage < HeldGrips::asleep;
  }
  if (has_sleeper && has_mover) disturb(islands, island_of, grains, position, velocity, stage);

  std::vector<char> is_slow(at(count));
  for (int i = 0; i < count; ++i) {
    const Island& island = islands[at(island_of[at(i)])];
    is_slow[at(i)] = island.energy < slow * unit * island.spheres ? 1 : 0;
  }
  const HeldGrips before{{stage, held.position, held.keys, held.springs}};
  const int size = HeldGrips::springs_of(count);
  std::vector<double> keys(at(size)), springs(6 * at(size));
  forces.update_springs(grains, motion, before, is_slow, keys.data(), springs.data());
  std::copy(keys.begin(), keys.end(), held.keys);
  std::copy(springs.begin(), springs.end(), held.springs);
  std::copy(position, position + 3 * count, held.position);
  std::fill(turn, turn + 3 * count, 0.0);

  double lost = 0;
  for (int i = 0; i < count; ++i) {
    const Island& island = islands[at(island_of[at(i)])];
    const bool slept = stage[i] >= HeldGrips::asleep;
    if (is_slow[at(i)] == 0)
      stage[i] = 0;
    else if (island.is_disturbed || !island.is_calm)
      stage[i] = HeldGrips::slow;
    else
      stage[i] = std::min(std::max(island.least_stage, HeldGrips::slow) + 1, HeldGrips::asleep);
    if (slept || stage[i] < HeldGrips::asleep) continue;
    lost += kinetic_energy(grains, motion, i);
    for (int k = 3 * i; k < 3 * i + 3; ++k) velocity[k] = spin[k] = 0;
  }
  return lost;
}

}  // namespace pawl::granular
