// The perceptron kernel (contract: discriminant/perceptron.hpp), over the rows of perceptron_rows.inl.

template <class Rows> class Walk {
  public:
    explicit Walk(const PerceptronJob<Rows>& job)
        : job_(job), rule_(job.rule), state_(job.state), row_(job.rows, job.all), stride_(padded(job.rows.d)) {
        measure();
    }

    // Presents the rows in order.
    Walked run() {
        const bool by_fours = !job_.nets && !rule_.stop_when_right;
        std::int64_t p = 0;
        while (p < job_.n) {
            if (by_fours) p = state_.functions == 1 ? present_by_fours<true>(p) : present_by_fours<false>(p);
            if (p == job_.n) break;
            const std::int64_t i = number(p);
            row_.at(i);
            const bool changed = rule_.together ? present_together(p, i) : present_apart(p, i);
            if (job_.nets) record(p, changed);
            ++p;
            if (rule_.stop_when_right && (changed || p == 1) && all_right(i)) return {p, true};
        }
        return {job_.n, false};
    }

  private:
    std::int64_t number(std::int64_t p) const { return job_.order ? job_.order[job_.first + p] : job_.first + p; }

    double* weights(std::int64_t f) const { return state_.weights + f * stride_; }

    // Presents rows four at a time, and returns the first presentation that is not beyond doubt.
    //
    // The nets of four rows are made at once. After a mistake those behind it change by c (x_i.x_j + 1). These products
    // are made along with the nets, unless a single function makes few mistakes: then the nets are made again.
    template <bool one> std::int64_t present_by_fours(std::int64_t p) {
        const std::int64_t functions = one ? 1 : state_.functions, ahead = row_.ahead();
        std::int64_t rows[4], next[4];
        double products[8], own_nets[4];
        double* const nets = one ? own_nets : job_.workspace + 2 * functions;
        double* const change = job_.workspace + functions;
        // For the row that a single function is right on, by far the commonest case, all is kept in registers.
        const std::int32_t* const codes = job_.codes;
        const std::int32_t positive = job_.positives[0];
        const double* const lengths = job_.lengths;
        const double threshold = rule_.threshold, least = row_.cells() * RowsAt<Rows>::tiny;
        double reach = RowsAt<Rows>::unit * largest_;
        bool many = !one;
        while (p + 4 <= job_.n) {
            bool readable = true;
            for (int q = 0; q < 4; ++q) readable &= row_.readable(rows[q] = number(p + q));
            if (!readable) return p;
            const bool more = p + ahead + 4 <= job_.n;
            for (int q = 0; q < 4; ++q) next[q] = number(more ? p + ahead + q : p + q);
            const bool with_products = RowsAt<Rows>::makes_products && many;
            if constexpr (one) row_.four_of_one(rows, next, state_, nets, with_products ? products : nullptr);
            else row_.four(rows, next, state_, nets, with_products ? products : nullptr);
            many = !one;
            for (int q = 0; q < 4; ++q, ++p) {
                if (one && !state_.runs) {
                    const std::int64_t i = rows[q];
                    const double net = static_cast<double>(2 * (codes[i] == positive) - 1) * nets[q];
                    if (net > threshold + (row_.depth(i) * reach * lengths[i] + least) && net < 1e30) continue;
                }
                const Settled settled = one ? settle_one(p, rows[q], nets[q], change)
                                        : rule_.together ? settle_together(p, rows[q], nets + q * functions, change)
                                                         : settle_apart(p, rows[q], nets + q * functions, change);
                if (settled == Settled::right) continue;
                if (settled == Settled::not_yet) return p;
                reach = RowsAt<Rows>::unit * largest_;
                many = true;
                if (!with_products) {
                    ++p;
                    break;
                }
                for (int r = q + 1; r < 4; ++r) {
                    const double product = products[q == 0 ? r - 1 : q + r] + (rule_.intercept ? 1 : 0);
                    for (std::int64_t f = 0; f < functions; ++f) nets[r * functions + f] += change[f] * product;
                }
            }
        }
        return p;
    }

    // What became of a row given its fast nets; `not_yet` where they lie too near a threshold, and nothing was done.
    enum class Settled { right, changed, not_yet };

    // 1: beyond doubt right, -1: beyond doubt wrong, 0: in doubt. `net` is positive on the target's side.
    int beyond_doubt(double net, double around) const {
        if (!(net < 1e30 && net > -1e30)) return 0;
        return net > rule_.threshold + around ? 1 : net < rule_.threshold - around ? -1 : 0;
    }

    Settled settle_one(std::int64_t p, std::int64_t i, double net, double* change) {
        const double sign = static_cast<double>(2 * (job_.codes[i] == job_.positives[0]) - 1), around = doubt(i);
        net *= sign;
        if (net > rule_.threshold + around && net < 1e30) {
            if (state_.runs) ++state_.runs[0];
            return Settled::right;
        }
        if (!(net < rule_.threshold - around && net > -1e30)) return Settled::not_yet;
        row_.at(i);
        end_of_run();
        ++state_.mistakes[0];
        change[0] = learn(p, i, 0, sign);
        after(true);
        return Settled::changed;
    }

    Settled settle_apart(std::int64_t p, std::int64_t i, const double* nets, double* change) {
        const double around = doubt(i);
        const std::int32_t code = job_.codes[i];
        bool any = false;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            const double sign = code == job_.positives[f] ? 1 : -1;
            const int found = beyond_doubt(sign * nets[f], around);
            if (found == 0) return Settled::not_yet;
            change[f] = found < 0 ? sign : 0;
            any |= found < 0;
        }
        if (!any) return Settled::right;
        row_.at(i);
        for (std::int64_t f = 0; f < state_.functions; ++f)
            if (change[f] != 0) {
                ++state_.mistakes[f];
                change[f] = learn(p, i, f, change[f]);
            }
        after(true);
        return Settled::changed;
    }

    Settled settle_together(std::int64_t p, std::int64_t i, const double* nets, double* change) {
        const std::int64_t own = job_.codes[i];
        bool certain;
        const Verdict found = judge(nets, own, 2 * doubt(i), &certain);
        if (!certain) return Settled::not_yet;
        if (!found.right) {
            row_.at(i);
            end_of_run();
            ++state_.mistakes[0];
            for (std::int64_t f = 0; f < state_.functions; ++f) change[f] = 0;
            change[found.winner] = learn(p, i, found.winner, -1);
            change[own] = learn(p, i, own, 1);
        }
        after(!found.right);
        return found.right ? Settled::right : Settled::changed;
    }

    // An upper bound on the largest |(w, b)|, exact now and then.
    void measure() {
        largest_ = 0;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            Doubles sum{};
            for (std::int64_t j = 0; j < stride_; j += lanes<double>) {
                const Doubles w = load<Doubles>(weights(f) + j);
                sum += w * w;
            }
            const double square = sum_of(sum) + state_.bias[f] * state_.bias[f];
            if (!(square <= largest_ * largest_)) largest_ = __builtin_sqrt(square) * (1 + 0x1p-20);
        }
        measured_ = largest_;
        since_ = 0;
    }

    // How far a fast net of row i may lie from the plain one.
    double doubt(std::int64_t i) const {
        return row_.depth(i) * RowsAt<Rows>::unit * largest_ * job_.lengths[i] + row_.cells() * RowsAt<Rows>::tiny;
    }

    void fast_nets(double* out) const {
        std::int64_t f = 0;
        for (; f + 4 <= state_.functions; f += 4) row_.template nets<4>(state_, f, out + f);
        for (; f < state_.functions; ++f) row_.template nets<1>(state_, f, out + f);
    }

    double plain(std::int64_t f) const { return row_.plain(weights(f), state_.bias[f]); }

    void plain_nets(double* out) const {
        for (std::int64_t f = 0; f < state_.functions; ++f) out[f] = plain(f);
    }

    int output(double net) const {
        switch (rule_.zero) {
            case NetOfZero::positive: return net >= 0 ? 1 : -1;
            case NetOfZero::negative: return net > 0 ? 1 : -1;
            default: return net > rule_.threshold ? 1 : net < -rule_.threshold ? -1 : 0;
        }
    }

    // The output of function f for a row, given its fast net.
    int output_of(std::int64_t f, double net, double doubt) const {
        const double size = net < 0 ? -net : net, above = size - rule_.threshold, gap = above < 0 ? -above : above;
        return gap > doubt && size < 1e30 ? output(net) : output(plain(f));
    }

    // What a row asks of functions that learn together.
    struct Verdict {
        bool right;
        std::int64_t winner;  // the class that beat the row's own, or tied with it
    };

    Verdict judge(const double* nets, std::int64_t own, double doubt, bool* certain) const {
        const bool last = rule_.zero == NetOfZero::positive;
        std::int64_t best = own == 0 ? 1 : 0;
        for (std::int64_t k = best + 1; k < state_.functions; ++k)
            if (k != own && (nets[k] > nets[best] || (last && nets[k] == nets[best]))) best = k;
        *certain = nets[own] - nets[best] > doubt || nets[best] - nets[own] > doubt;
        if (nets[best] >= nets[own])
            for (std::int64_t k = 0; k < state_.functions; ++k)
                *certain &= k == best || k == own || nets[best] - nets[k] > doubt;
        for (std::int64_t k = 0; k < state_.functions; ++k) *certain &= nets[k] < 1e30 && nets[k] > -1e30;
        bool right = nets[own] > nets[best];
        if (nets[own] == nets[best] && rule_.zero != NetOfZero::undecided) right = last ? own > best : own < best;
        return {right, best};
    }

    Verdict verdict(double* nets, std::int64_t own, double doubt) const {
        bool certain;
        const Verdict fast = judge(nets, own, 2 * doubt, &certain);
        if (certain) return fast;
        plain_nets(nets);
        return judge(nets, own, 0, &certain);
    }

    double learn(std::int64_t p, std::int64_t i, std::int64_t f, double sign) {
        const double step = rule_.rate * (job_.steps ? job_.steps[i] : 1.0), c = step * sign;
        row_.add(c, weights(f), state_.shadow ? state_.shadow + f * stride_ : nullptr);
        if (rule_.intercept) state_.bias[f] += c;
        if (state_.moved) {
            const double before = (state_.presented + static_cast<double>(p)) * c;
            row_.add(before, state_.moved + f * stride_, nullptr);
            if (rule_.intercept) state_.moved_bias[f] += before;
        }
        largest_ += step * job_.lengths[i] * (1 + 0x1p-20);
        return c;
    }

    void loosen() {
        if (++since_ >= 64 && largest_ > RowsAt<Rows>::refresh * measured_) measure();
    }

    bool present_apart(std::int64_t p, std::int64_t i) {
        double* const nets = job_.workspace;
        const double around = doubt(i);
        if (job_.nets) plain_nets(nets);
        else fast_nets(nets);
        bool changed = false;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            const int target = job_.codes[i] == job_.positives[f] ? 1 : -1;
            if (output_of(f, nets[f], around) == target) continue;
            if (!changed) end_of_run();
            changed = true;
            ++state_.mistakes[f];
            learn(p, i, f, target);
        }
        after(changed);
        return changed;
    }

    bool present_together(std::int64_t p, std::int64_t i) {
        double* const nets = job_.workspace;
        if (job_.nets) plain_nets(nets);
        else fast_nets(nets);
        const std::int64_t own = job_.codes[i];
        const Verdict found = verdict(nets, own, doubt(i));
        if (!found.right) {
            end_of_run();
            ++state_.mistakes[0];
            learn(p, i, found.winner, -1);
            learn(p, i, own, 1);
        }
        after(!found.right);
        return !found.right;
    }

    void after(bool changed) {
        if (changed) loosen();
        if (state_.runs) state_.runs[0] = changed ? 0 : state_.runs[0] + 1;
    }

    // Before the weights change: those that made the longest run are kept.
    void end_of_run() {
        if (!state_.runs || state_.runs[0] <= state_.runs[1]) return;
        state_.runs[1] = state_.runs[0];
        for (std::int64_t j = 0; j < state_.functions * stride_; ++j) state_.longest[j] = state_.weights[j];
        for (std::int64_t f = 0; f < state_.functions; ++f) state_.longest_bias[f] = state_.bias[f];
    }

    void record(std::int64_t p, bool changed) const {
        const std::int64_t d = job_.rows.d;
        job_.changed[p] = changed;
        for (std::int64_t f = 0; f < state_.functions; ++f) {
            job_.nets[p * state_.functions + f] = job_.workspace[f];
            double* const to = job_.after + (p * state_.functions + f) * (d + 1);
            for (std::int64_t j = 0; j < d; ++j) to[j] = weights(f)[j];
            to[d] = state_.bias[f];
        }
    }

    bool is_right(std::int64_t i) {
        double* const nets = job_.workspace + state_.functions;
        row_.at(i);
        fast_nets(nets);
        if (rule_.together) return verdict(nets, job_.codes[i], doubt(i)).right;
        return output_of(0, nets[0], doubt(i)) == (job_.codes[i] == job_.positives[0] ? 1 : -1);
    }

    // Looks first where a wrong row was found before: it mostly is so still.
    bool all_right(std::int64_t i) {
        if (wrong_ >= 0 && !is_right(wrong_)) return false;
        for (std::int64_t p = 0; p < job_.all; ++p) {
            const std::int64_t next = (i + p) % job_.all;
            if (!(job_.steps && job_.steps[next] == 0) && !is_right(next)) {
                wrong_ = next;
                return false;
            }
        }
        return true;
    }

    const PerceptronJob<Rows>& job_;
    const PerceptronRule rule_;
    const PerceptronState& state_;
    RowsAt<Rows> row_;
    const std::int64_t stride_;
    double largest_ = 0, measured_ = 0;
    std::int64_t since_ = 0, wrong_ = -1;
};

template <class Rows> Walked perceptron(const PerceptronJob<Rows>& job) { return Walk<Rows>(job).run(); }

template <class Rows> void lengths(const LengthsJob<Rows>& job) {
    RowsAt<Rows> row(job.rows, job.n);
    for (std::int64_t i = 0; i < job.n; ++i) {
        row.at(i);
        job.lengths[i] = __builtin_sqrt(row.square());
    }
}
