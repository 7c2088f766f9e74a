#include "contact/force_memo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl::contact {

namespace {
constexpr std::size_t most_instants = 64;
constexpr double weightless = 64 * std::numeric_limits<double>::epsilon();  // of the largest force
}  // namespace

ForceMemo::ForceMemo(const System::Declarations& model, std::shared_ptr<formulate::MechanicsForm> form)
    : info_(*model.mechanics), form_(std::move(form)), entries_(most_instants) {
  for (Entry& entry : entries_) {
    entry.x.resize(model.state_names.size());
    entry.forces.resize(info_.contacts.size());
  }
}

void ForceMemo::clear() {
  for (Entry& entry : entries_) entry.is_set = false;
}

bool ForceMemo::has_redundant_contacts() const {
  return std::any_of(form_->redundant_rows().begin(), form_->redundant_rows().end(), [&](int row) {
    return std::any_of(info_.contacts.begin(), info_.contacts.end(), [&](const ContactInfo& contact) {
      for (const int constraint : {contact.normal, contact.slip}) {
        if (constraint < 0) continue;
        const auto& rows = info_.constraints[static_cast<std::size_t>(constraint)];
        if (row >= rows.first_row && row < rows.first_row + rows.rows) return true;
      }
      return false;
    });
  });
}

const ForceMemo::Entry& ForceMemo::find(const Point<double>& at) {
  const double* x = at.states().array;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const std::size_t i = (last_ + k) % entries_.size();
    const Entry& entry = entries_[i];
    if (entry.is_set && entry.t == at.t && std::equal(entry.x.begin(), entry.x.end(), x)) {
      last_ = i;
      return entry;
    }
  }
  last_ = next_;
  next_ = (next_ + 1) % entries_.size();
  Entry& entry = entries_[last_];
  entry.t = at.t;
  std::copy(x, x + entry.x.size(), entry.x.begin());
  form_->relays = at.around()->relays;
  const auto row = [&](int constraint, int k) {
    return form_->multiplier(at.t, x, info_.constraints[static_cast<std::size_t>(constraint)].first_row + k);
  };
  for (std::size_t c = 0; c < info_.contacts.size(); ++c) {
    const ContactInfo& contact = info_.contacts[c];
    if (contact.normal >= 0) {
      const double force = row(contact.normal, 0);
      double largest = 0;  // bodies that touch without weight have a force that is rounding alone: none
      for (const double one : form_->terms().force) largest = std::max(largest, std::abs(one));
      entry.forces[c].normal = std::abs(force) <= weightless * largest ? 0 : force;
    }
    for (int k = 0; k < contact.tangents; ++k) entry.forces[c].slip[k] = row(contact.slip, k);
  }
  entry.pivot = form_->least_slip_pivot(at.t, x);
  form_->relays = nullptr;
  for (Forces& one : entry.forces) one.holds = one.opens = one.breaks[0] = one.breaks[1] = 0;
  if (admissible && has_redundant_contacts()) admissible(at, entry.forces);
  entry.is_set = true;
  return entry;
}

}  // namespace pawl::contact
