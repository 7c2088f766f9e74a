#include "report/picture_data.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "pawl/contact_family.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;
using namespace shapes;

namespace {

class Drawing {
 public:
  explicit Drawing(const Result& run) : run_(run), model_(*run.declarations) {}

  void add(const Shape& shape) {
    std::visit([this](const auto& one) { draw(one); }, shape);
  }
  PictureData take() {
    out_.shapes = Json{{"space", out_.is_in_space}, {"declared", true}, {"shapes", all_}, {"channels", channels_}};
    return std::move(out_);
  }

 private:
  void draw(const Rod& rod) { push("rod", {rod.from, rod.to}, {}, {}, {rod.width}); }
  void draw(const Disk& disk) { push("disk", {disk.center}, disk.turn, {disk.radius}, {}); }
  void draw(const Sphere& sphere) { push("sphere", {sphere.center}, sphere.turn, {sphere.radius}, {}); }
  void draw(const Box& box) { push("box", {box.center}, box.turn, {}, {box.size[0], box.size[1], box.size[2]}); }
  void draw(const Spring& spring) { push("spring", {spring.from, spring.to}, {}, {}, {}); }
  void draw(const Wall& wall) { push("wall", {wall.from, wall.to}, {}, {}, {}); }
  void draw(const Ring& ring) { push("ring", {ring.center}, ring.turn, {ring.radius}, {}); }
  void draw(const Floor& floor) {
    out_.is_in_space = true;
    push("floor", {floor.center}, floor.turn, {}, {floor.size});
  }
  void draw(const Trace& trace) { push("trace", {trace.of}, {}, {}, {trace.seconds}); }
  void draw(const Arrow& arrow) { push("arrow", {arrow.at, arrow.force}, {}, {}, {}); }
  void draw(const Touch& touch) {
    std::vector<Place> places{touch.at};
    if (touch.direction) places.push_back(*touch.direction);
    Json& shape = push("touch", places, {}, {}, {});
    Json rows = Json::array();
    const auto* contact = std::get_if<Contact>(&touch.what);
    const std::vector<double> times =
        contact != nullptr ? run_.times_of(*contact) : run_.times_of(std::get<Guard>(touch.what));
    std::size_t row = 0;
    for (const double t : times) {
      while (row < run_.events.size() && run_.events[row].t != t) ++row;
      if (row < run_.events.size()) rows.push_back(row);
    }
    shape["events"] = rows;
    if (contact != nullptr && touch.direction) shape["force"] = channel(Number(contact->normal));
  }

  Json& push(const char* kind, const std::vector<Place>& places, const Turn& turn, const std::vector<Number>& numbers,
             const std::vector<double>& sizes) {
    Json all_places = Json::array(), all_numbers = Json::array(), turns = Json::array();
    for (const Place& place : places) {
      out_.is_in_space = out_.is_in_space || !place.z.is_zero();
      all_places.push_back({channel(place.x), channel(place.y), channel(place.z)});
    }
    for (const Number& number : numbers) all_numbers.push_back(channel(number));
    for (const Number& number : turn.values) turns.push_back(channel(number));
    out_.is_in_space = out_.is_in_space || turn.values.size() == 4;
    all_.push_back(
        {{"kind", kind}, {"places", all_places}, {"turn", turns}, {"numbers", all_numbers}, {"sizes", sizes}});
    return all_.back();
  }

  std::size_t channel(const Number& number) {
    const auto& value = number.value();
    if (const double* constant = std::get_if<double>(&value); constant != nullptr) return push_channel(*constant);
    if (const State* x = std::get_if<State>(&value); x != nullptr)
      return push_channel(model_.state_names[checked(*x, model_.state_names.size(), "state", model_)]);
    if (const auto* o = std::get_if<Observable>(&value); o != nullptr)
      return push_channel(model_.observable_names[checked(*o, model_.observable_names.size(), "observable", model_)]);
    const std::string name = fmt::format("#{}", out_.followers.size());
    out_.followers.push_back(
        {name, "picture", [read = std::get<Number::Read>(value)](const event::Scene& scene, const Instant&) {
           return read(scene.point());
         }});
    return push_channel(name);
  }
  std::size_t push_channel(Json value) {
    const auto known = std::find(channels_.begin(), channels_.end(), value);
    if (known != channels_.end()) return static_cast<std::size_t>(known - channels_.begin());
    channels_.push_back(std::move(value));
    return channels_.size() - 1;
  }

  const Result& run_;
  const System::Declarations& model_;
  PictureData out_;
  Json all_ = Json::array(), channels_ = Json::array();
};

constexpr std::size_t most_shapes = 400;  // of a picture that nobody has declared

/// The spheres of a family of contacts.
Picture default_picture(const Spheres& spheres) {
  Picture picture;
  for (int i = 0; i < spheres.size() && picture.shapes.size() < most_shapes; ++i) {
    const auto [x, y, z] = spheres.centre(i);
    picture.add(Sphere{{x, y, z}, spheres.radii[static_cast<std::size_t>(i)]});
  }
  return picture;
}

/// Coordinates x..., y... and perhaps z... of the same suffix, or ..._x, ..._y, ..._z, as dots.
Picture default_picture(const System::Declarations& model) {
  Picture picture;
  const auto find = [&](const std::string& name) -> std::optional<State> {
    const auto it = std::find(model.state_names.begin(), model.state_names.end(), name);
    if (it == model.state_names.end()) return std::nullopt;
    return State{static_cast<int>(it - model.state_names.begin())};
  };
  for (std::size_t i = 0; i < model.state_names.size() && picture.shapes.size() < most_shapes; ++i) {
    const std::string& name = model.state_names[i];
    if (name.empty() || name.back() == '\'') continue;
    const std::size_t letter = name.ends_with("_x") ? name.size() - 1 : 0;
    if (name[letter] != 'x') continue;
    const auto other = [&](char axis) { return find(std::string(name).replace(letter, 1, 1, axis)); };
    const auto y = other('y'), z = other('z');
    if (!y) continue;
    const State x{static_cast<int>(i)};
    picture.add(Sphere{{x, *y, z ? Number(*z) : Number(0)}, 0});
    picture.add(Trace{{x, *y, z ? Number(*z) : Number(0)}, std::numeric_limits<double>::infinity()});
  }
  return picture;
}

}  // namespace

PictureData picture_of(const Result& run) {
  const System::Declarations& model = run.declarations->parts ? *run.declarations->parts : *run.declarations;
  Drawing drawing(run);
  const bool is_declared = model.picture != nullptr;
  const int family = family_of(*run.declarations);
  const Picture own = is_declared       ? *model.picture
                      : family >= 0     ? default_picture(run.final()[ContactFamily{family}].family->spheres)
                      : model.mechanics ? default_picture(model)
                                        : Picture();
  if (own.shapes.empty()) return {};
  for (const Shape& shape : own.shapes) drawing.add(shape);
  PictureData data = drawing.take();
  data.shapes["declared"] = is_declared;
  return data;
}

Json channels_of(const PictureData& picture, const std::vector<std::pair<std::string, double>>& constants) {
  Json channels = picture.shapes["channels"];
  for (Json& one : channels) {
    if (!one.is_string()) continue;
    for (const auto& [name, value] : constants) {
      if (one == name) {
        one = value;
        break;
      }
    }
  }
  return channels;
}

}  // namespace pawl
