#include "stiff_peers.hpp"

#include <ctime>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "formulate/dae_form.hpp"
#include "formulate/dae_start.hpp"
#include "formulate/implicit_mechanics.hpp"
#include "formulate/make_form.hpp"
#include "formulate/ode_form.hpp"

namespace pawl::bench {

namespace {

using formulate::Level;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The accelerations of a mechanism as rates: numbers only.
struct AccelerationRates {
  formulate::Form* form;
  void operator()(const Point<double>& point, Rates<double>& d) const {
    form->rate(point.t, point.states().array, &d[State{0}]);
  }
};

Level level_of(const std::string& formulation) {
  if (formulation == "index-3") return Level::index_3;
  if (formulation == "index-2") return Level::index_2;
  if (formulation == "stabilized-index-2") return Level::stabilized_index_2;
  if (formulation == "index-1") return Level::index_1;
  throw Misuse(fmt::format("the peers know no formulation '{}'", formulation));
}

/// What SUNDIALS needs while it runs, and everything that has to be given back.
class SundialsRun {
 public:
  enum class Matrices { dense, sparse };

  SundialsRun(PeerModel& model, const PeerOptions& options, bool is_ida, Matrices matrices)
      : form_(model.form()), options_(options), is_ida_(is_ida), n_(form_.size()) {
    began_ = processor_seconds();
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(n_, context_);
    dy_ = N_VClone(y_);
    absolute_ = N_VClone(y_);
    std::copy(model.y().begin(), model.y().end(), data(y_));
    std::copy(model.dy().begin(), model.dy().end(), data(dy_));
    const std::vector<double> absolute = options.absolute.empty() ? model.absolute(options.relative) : options.absolute;
    std::copy(absolute.begin(), absolute.end(), data(absolute_));
    make_matrices(matrices);
    if (is_ida)
      prepare_ida(model);
    else
      prepare_cvode(model);
  }
  ~SundialsRun() {
    if (is_ida_)
      IDAFree(&memory_);
    else
      CVodeFree(&memory_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
    for (N_Vector vector : {y_, dy_, absolute_}) N_VDestroy(vector);
    SUNContext_Free(&context_);
  }
  SundialsRun(const SundialsRun&) = delete;
  SundialsRun& operator=(const SundialsRun&) = delete;

  PeerRun run(const PeerModel& model) {
    PeerRun out;
    out.creating = processor_seconds() - began_;
    double t = model.start();
    const int flag = is_ida_ ? IDASolve(memory_, options_.end, &t, y_, dy_, IDA_NORMAL)
                             : CVode(memory_, options_.end, y_, &t, CV_NORMAL);
    out.seconds = processor_seconds() - began_;
    if (was_cut_) {
      out.was_cut = true;
      out.failure = fmt::format("cut after {:g} s at t = {:.3g}", options_.longest, t);
    } else if (flag < 0) {
      out.failure = fmt::format("{} at t = {:.3g}", name_of(flag), t);
    }
    out.state.assign(data(y_), data(y_) + model.states());
    long steps = 0, calls = 0, more = 0, jacobians = 0, setups = 0;
    if (is_ida_) {
      IDAGetNumSteps(memory_, &steps);
      IDAGetNumResEvals(memory_, &calls);
      IDAGetNumLinResEvals(memory_, &more);
      IDAGetNumJacEvals(memory_, &jacobians);
      IDAGetNumLinSolvSetups(memory_, &setups);
    } else {
      CVodeGetNumSteps(memory_, &steps);
      CVodeGetNumRhsEvals(memory_, &calls);
      CVodeGetNumLinRhsEvals(memory_, &more);
      CVodeGetNumJacEvals(memory_, &jacobians);
      CVodeGetNumLinSolvSetups(memory_, &setups);
    }
    out.steps = steps;
    out.rhs = calls + more;
    out.jacobians = jacobians;
    out.factorizations = setups;
    return out;
  }

 private:
  static double* data(N_Vector vector) { return NV_DATA_S(vector); }
  static void be_quiet(int, const char*, const char*, char*, void*) {}

  void make_matrices(Matrices matrices) {
    if (matrices == Matrices::dense) {
      matrix_ = SUNDenseMatrix(n_, n_, context_);
      linear_ = SUNLinSol_Dense(y_, matrix_, context_);
      return;
    }
    const MatrixPair& pair = form_.matrices();
    matrix_ = SUNSparseMatrix(n_, n_, static_cast<sunindextype>(pair.row.size()), CSC_MAT, context_);
    set_pattern(matrix_);
    linear_ = SUNLinSol_KLU(y_, matrix_, context_);
  }
  void set_pattern(SUNMatrix matrix) const {
    const MatrixPair& pair = form_.matrices();
    std::copy(pair.first.begin(), pair.first.end(), SUNSparseMatrix_IndexPointers(matrix));
    std::copy(pair.row.begin(), pair.row.end(), SUNSparseMatrix_IndexValues(matrix));
  }

  void prepare_cvode(const PeerModel& model) {
    memory_ = CVodeCreate(CV_BDF, context_);
    CVodeSetErrHandlerFn(memory_, be_quiet, nullptr);
    CVodeSetUserData(memory_, this);
    CVodeInit(memory_, rates, model.start(), y_);
    CVodeSVtolerances(memory_, options_.relative, absolute_);
    CVodeSetMaxNumSteps(memory_, std::numeric_limits<int>::max());
    CVodeSetStopTime(memory_, options_.end);
    CVodeSetLinearSolver(memory_, linear_, matrix_);
    if (options_.has_exact_jacobian) CVodeSetJacFn(memory_, jacobian_of_rates);
  }
  void prepare_ida(const PeerModel& model) {
    memory_ = IDACreate(context_);
    IDASetErrHandlerFn(memory_, be_quiet, nullptr);
    IDASetUserData(memory_, this);
    IDAInit(memory_, residual, model.start(), y_, dy_);
    IDASVtolerances(memory_, options_.relative, absolute_);
    IDASetMaxNumSteps(memory_, std::numeric_limits<int>::max());
    IDASetStopTime(memory_, options_.end);
    IDASetLinearSolver(memory_, linear_, matrix_);
    if (options_.has_exact_jacobian) IDASetJacFn(memory_, jacobian_of_residual);
    bool is_high_index = false;
    N_Vector id = N_VClone(y_);
    for (int i = 0; i < n_; ++i) {
      const formulate::Role& role = form_.roles()[at(i)];
      data(id)[i] = role.is_differential ? 1 : 0;
      is_high_index = is_high_index || role.index >= 2;
    }
    IDASetId(memory_, id);
    IDASetSuppressAlg(memory_, is_high_index ? SUNTRUE : SUNFALSE);
    N_VDestroy(id);  // IDA has a copy
  }

  // A negative value ends the run, a positive one asks for a shorter step. The clock is read once in many calls.
  int verdict(const double* out) {
    if (++calls_ % 256 == 0 && processor_seconds() - began_ > options_.longest) {
      was_cut_ = true;
      return -1;
    }
    double sum = 0;  // not finite if any of them is not
    for (int i = 0; i < n_; ++i) sum += 0 * out[i];
    return sum == 0 ? 0 : 1;
  }
  static int rates(realtype t, N_Vector y, N_Vector d, void* user) {
    auto& self = *static_cast<SundialsRun*>(user);
    self.form_.residual(t, data(y), nullptr, data(d));
    return self.verdict(data(d));
  }
  static int residual(realtype t, N_Vector y, N_Vector dy, N_Vector r, void* user) {
    auto& self = *static_cast<SundialsRun*>(user);
    self.form_.residual(t, data(y), data(dy), data(r));
    return self.verdict(data(r));
  }
  static int jacobian_of_rates(realtype t, N_Vector y, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector,
                               N_Vector) {
    auto& self = *static_cast<SundialsRun*>(user);
    self.form_.linearize(t, data(y), nullptr);
    self.fill(J, 0);
    return 0;
  }
  // dr/dy + c dr/dy' = J - c M.
  static int jacobian_of_residual(realtype t, realtype c, N_Vector y, N_Vector dy, N_Vector, SUNMatrix J, void* user,
                                  N_Vector, N_Vector, N_Vector) {
    auto& self = *static_cast<SundialsRun*>(user);
    self.form_.linearize(t, data(y), data(dy));
    self.fill(J, c);
    return 0;
  }
  void fill(SUNMatrix matrix, double c) const {
    const MatrixPair& pair = form_.matrices();
    const bool has_mass = !pair.M.empty();
    const auto entry = [&](std::size_t e) { return has_mass ? pair.J[e] - c * pair.M[e] : pair.J[e]; };
    const bool is_dense = SUNMatGetID(matrix) == SUNMATRIX_DENSE;
    double* const out = is_dense ? SUNDenseMatrix_Data(matrix) : SUNSparseMatrix_Data(matrix);
    if (!is_dense) set_pattern(matrix);  // CVODE has made a copy that it changes
    if (is_dense && pair.is_sparse) {
      std::fill(out, out + n_ * n_, 0.0);
      for (int j = 0; j < n_; ++j) {
        for (int e = pair.first[at(j)]; e < pair.first[at(j) + 1]; ++e) out[j * n_ + pair.row[at(e)]] = entry(at(e));
      }
    } else {
      for (std::size_t e = 0; e < pair.J.size(); ++e) out[e] = entry(e);
    }
    if (has_mass || c == 0) return;
    for (int j = 0; j < n_; ++j) {
      if (is_dense) {
        out[j * n_ + j] -= c;
      } else {
        for (int e = pair.first[at(j)]; e < pair.first[at(j) + 1]; ++e) {
          if (pair.row[at(e)] == j) out[e] -= c;
        }
      }
    }
  }

  std::string name_of(int flag) const {
    char* name = is_ida_ ? IDAGetReturnFlagName(flag) : CVodeGetReturnFlagName(flag);
    std::string text = name;
    std::free(name);
    return text;
  }

  formulate::ImplicitForm& form_;
  const PeerOptions& options_;
  bool is_ida_, was_cut_ = false;
  int n_;
  long long calls_ = 0;
  double began_;
  SUNContext context_ = nullptr;
  void* memory_ = nullptr;
  N_Vector y_ = nullptr, dy_ = nullptr, absolute_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
};

}  // namespace

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

PeerModel::PeerModel(const System& system, const Values& values, double start, const std::string& formulation)
    : model_(system.share()), held_(values.held()), start_(start), y_(values.start()) {
  around_.held = &held_;
  field_ = {model_->rates.entry<double>(), model_->rates.functor(), held_.parameters.data(), &around_};
  const int states = static_cast<int>(y_.size());
  const bool is_mechanism = model_->mechanics != nullptr;
  formulate::DaeForm* equations = nullptr;
  if (is_mechanism) {
    accelerations_ = formulate::make_form(model_, formulate::Formulation());
    accelerations_->lock(held_);
  }
  if (is_mechanism && formulation == "acceleration") {
    auto derived = std::make_shared<System::Declarations>(*model_);
    derived->rates = Function::rates(AccelerationRates{accelerations_.get()});
    model_ = derived;
    field_ = {model_->rates.entry<double>(), model_->rates.functor(), held_.parameters.data(), &around_};
    form_ = formulate::make_ode_form(model_, field_, states);
  } else if (is_mechanism) {
    std::vector<double> rates(y_.size());
    accelerations_->rate(start, y_.data(), rates.data());
    form_ = formulate::make_implicit_mechanics(model_, static_cast<formulate::MechanicsForm&>(*accelerations_),
                                               level_of(formulation));
  } else if (model_->is_implicit()) {
    auto made = formulate::make_dae_form(model_, field_);
    equations = made.get();
    form_ = std::move(made);
  } else {
    form_ = formulate::make_ode_form(model_, field_, states);
  }
  form_->restart(start, y_.data());
  y_.resize(at(form_->size()), 0.0);
  dy_.assign(at(form_->size()), 0.0);
  std::string failure;
  if (equations != nullptr)
    failure = formulate::find_consistent(*equations, start, y_.data(), dy_.data(), {}, false).failure;
  if (failure.empty()) failure = form_->complete(start, y_.data(), dy_.data());
  if (!failure.empty()) throw Misuse(fmt::format("no consistent start for the peers: {}", failure));
}

std::vector<double> PeerModel::absolute(double relative) const {
  std::vector<double> each(y_.size(), relative * 1e-3);
  for (std::size_t i = 0; i < model_->nominals.size(); ++i) {
    if (model_->nominals[i] > 0) each[i] = relative * model_->nominals[i];
  }
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (i >= at(states()) || form_->roles()[i].index >= 2) each[i] = std::max(1.0, std::abs(y_[i]));
  }
  return each;
}

PeerRun run_cvode(PeerModel& model, const PeerOptions& options) {
  return SundialsRun(model, options, false, SundialsRun::Matrices::dense).run(model);
}

PeerRun run_cvode_klu(PeerModel& model, const PeerOptions& options) {
  return SundialsRun(model, options, false, SundialsRun::Matrices::sparse).run(model);
}

PeerRun run_ida(PeerModel& model, const PeerOptions& options) {
  const bool is_sparse = model.form().matrices().is_sparse && options.has_exact_jacobian;
  return SundialsRun(model, options, true, is_sparse ? SundialsRun::Matrices::sparse : SundialsRun::Matrices::dense)
      .run(model);
}

PeerRun fastest(PeerRun (*run)(PeerModel&, const PeerOptions&), PeerModel& model, const PeerOptions& options,
                double seconds) {
  PeerRun best = run(model, options);
  double spent = best.seconds;
  while (best.finished() && spent < seconds) {
    PeerRun again = run(model, options);
    spent += again.seconds;
    if (again.seconds < best.seconds) best = std::move(again);
  }
  return best;
}

}  // namespace pawl::bench
