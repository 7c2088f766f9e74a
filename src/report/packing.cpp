#include "report/packing.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace pawl {

static_assert(std::endian::native == std::endian::little, "reports store numbers lowest byte first");

template <class T>
nlohmann::ordered_json Packing::add_planes(const char* type, const std::vector<T>& values) {
  const std::size_t at = arrays_.size(), count = values.size();
  arrays_.resize(at + count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &values[i], sizeof(T));
    for (std::size_t plane = 0; plane < sizeof(T); ++plane) arrays_[at + plane * count + i] = bytes[plane];
  }
  return {{"type", type}, {"at", at}, {"count", count}};
}

nlohmann::ordered_json Packing::add(const std::vector<double>& values) {
  return add_planes("f64", values);
}
nlohmann::ordered_json Packing::add(const std::vector<float>& values) {
  return add_planes("f32", values);
}
nlohmann::ordered_json Packing::add(const std::vector<std::int32_t>& values) {
  return add_planes("i32", values);
}
nlohmann::ordered_json Packing::add(const std::vector<std::uint8_t>& values) {
  return add_planes("u8", values);
}

std::string Packing::finish(std::string_view head) const {
  if (head.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::runtime_error("the text of this report has more than 4 GB");
  const auto length = static_cast<std::uint32_t>(head.size());
  std::string all(sizeof length, '\0');
  std::memcpy(all.data(), &length, sizeof length);
  all += head;
  all += arrays_;
  return base64(gzip(all));
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  constexpr int with_gzip_header = 15 + 16, memory = 9;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, with_gzip_header, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot begin to compress");
  std::string out;
  char buffer[1 << 16];
  constexpr std::size_t most = 1U << 30U;  // zlib counts with 32 bits
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const std::size_t part = std::min(most, bytes.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT: it does not write there
    stream.avail_in = static_cast<uInt>(part);
    bytes.remove_prefix(part);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer);
      stream.avail_out = sizeof buffer;
      state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(buffer, sizeof buffer - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t rest = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8U | (k < rest ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= rest ? digits[three >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace pawl
