// Packing: the data of a report as one text: a JSON head and arrays, gzip, base64. Arrays are stored byte plane by byte
// plane (all first bytes, all second bytes, ...), which gzip then finds far more repetition in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pawl {

class Packing {
 public:
  // What the head says of an array: {"type": ..., "at": byte after the head, "count": ...}.
  nlohmann::ordered_json add(const std::vector<double>& values);
  nlohmann::ordered_json add(const std::vector<float>& values);
  nlohmann::ordered_json add(const std::vector<std::int32_t>& values);
  nlohmann::ordered_json add(const std::vector<std::uint8_t>& values);

  std::size_t size() const { return arrays_.size(); }
  /// Length of the head (four bytes, lowest first), head, arrays; packed.
  std::string finish(std::string_view head) const;

 private:
  template <class T>
  nlohmann::ordered_json add_planes(const char* type, const std::vector<T>& values);

  std::string arrays_;
};

std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace pawl
