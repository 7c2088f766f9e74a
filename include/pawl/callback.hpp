// Callback: a function given to pawl, erased. Like std::function, whose header takes longer to compile than all of
// pawl's scalars; copies share one functor.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace pawl {

template <class Signature>
class Callback;

template <class R, class... Arguments>
class Callback<R(Arguments...)> {
 public:
  Callback() = default;
  Callback(std::nullptr_t) {}  // NOLINT: none
  template <class F>
  requires(!std::is_same_v<F, Callback> && std::is_invocable_r_v<R, F&, Arguments...>)
      Callback(F f) {  // NOLINT: a lambda is a callback
    if constexpr (std::is_constructible_v<bool, F> && !std::is_convertible_v<F, bool>) {  // another kind of callback
      if (!static_cast<bool>(f)) return;
    }
    functor_ = std::make_shared<F>(std::move(f));
    call_ = [](void* functor, Arguments... arguments) -> R {
      return (*static_cast<F*>(functor))(std::forward<Arguments>(arguments)...);
    };
  }

  explicit operator bool() const { return functor_ != nullptr; }
  /// Requires a function.
  R operator()(Arguments... arguments) const { return call_(functor_.get(), std::forward<Arguments>(arguments)...); }

 private:
  std::shared_ptr<void> functor_;
  R (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace pawl
