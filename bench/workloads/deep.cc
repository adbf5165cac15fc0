// deep SECONDS [THREADS]: a C++ program with deep and varied stacks. It parses, evaluates and sorts random
// expression trees, with templates, virtual calls, std::function, maps and recursion, like the programs that a
// profiler usually meets.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace tree {
struct node {
	virtual ~node() = default;
	virtual double value(const std::map<std::string, double> &vars) const = 0;
	virtual size_t depth() const = 0;
};
using ptr = std::unique_ptr<node>;

struct number : node {
	double v;
	explicit number(double x) : v(x) {}
	double value(const std::map<std::string, double> &) const override { return v; }
	size_t depth() const override { return 1; }
};
struct variable : node {
	std::string name;
	explicit variable(std::string n) : name(std::move(n)) {}
	double value(const std::map<std::string, double> &vars) const override
	{
		auto it = vars.find(name);
		return it == vars.end() ? 0 : it->second;
	}
	size_t depth() const override { return 1; }
};
template <class Op> struct binary : node {
	ptr a, b;
	binary(ptr x, ptr y) : a(std::move(x)), b(std::move(y)) {}
	double value(const std::map<std::string, double> &vars) const override
	{
		return Op()(a->value(vars), b->value(vars));
	}
	size_t depth() const override { return 1 + std::max(a->depth(), b->depth()); }
};
struct call : node {
	std::function<double(double)> f;
	ptr a;
	call(std::function<double(double)> g, ptr x) : f(std::move(g)), a(std::move(x)) {}
	double value(const std::map<std::string, double> &vars) const override { return f(a->value(vars)); }
	size_t depth() const override { return 1 + a->depth(); }
};
} // namespace tree

namespace parser {
class source {
	std::mt19937 &rng;
	int budget;

public:
	source(std::mt19937 &r, int n) : rng(r), budget(n) {}
	unsigned pick(unsigned n) { return rng() % n; }
	bool spend() { return budget-- > 0; }
};

tree::ptr expression(source &s);

tree::ptr primary(source &s)
{
	if (s.pick(2))
		return std::make_unique<tree::number>(s.pick(1000) / 10.0);
	return std::make_unique<tree::variable>(std::string(1, static_cast<char>('a' + s.pick(26))));
}
tree::ptr factor(source &s)
{
	if (!s.spend())
		return primary(s);
	if (s.pick(4) == 0)
		return std::make_unique<tree::call>([](double x) { return x < 0 ? -x : x / 2; }, expression(s));
	return s.pick(3) ? expression(s) : primary(s);
}
tree::ptr term(source &s)
{
	tree::ptr left = factor(s);
	return s.pick(2) ? std::make_unique<tree::binary<std::multiplies<double>>>(std::move(left), factor(s))
			 : std::move(left);
}
tree::ptr expression(source &s)
{
	tree::ptr left = term(s);
	return s.pick(2) ? std::make_unique<tree::binary<std::plus<double>>>(std::move(left), term(s))
			 : std::move(left);
}
} // namespace parser

template <class It, class Less> static void quick(It first, It last, Less less)
{
	if (last - first < 2)
		return;
	auto pivot = *(first + (last - first) / 2);
	It a = std::partition(first, last, [&](const auto &x) { return less(x, pivot); });
	It b = std::partition(a, last, [&](const auto &x) { return !less(pivot, x); });
	quick(first, a, less);
	quick(b, last, less);
}

static double round_of_work(std::mt19937 &rng)
{
	std::map<std::string, double> vars;
	std::vector<double> values;
	double sum = 0;

	for (char c = 'a'; c <= 'z'; c++)
		vars[std::string(1, c)] = rng() % 97;
	for (int i = 0; i < 12; i++) {
		parser::source s(rng, 12);
		tree::ptr e = parser::expression(s);
		for (int k = 0; k < 10; k++)
			values.push_back(e->value(vars) + static_cast<double>(e->depth()) + k);
	}
	quick(values.begin(), values.end(), std::less<double>());
	for (double v : values)
		sum += v;
	return sum;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
	std::vector<std::thread> pool;
	std::vector<double> sums(static_cast<size_t>(threads));

	for (int t = 0; t < threads; t++)
		pool.emplace_back([&, t] {
			std::mt19937 rng(static_cast<unsigned>(t) + 1);
			while (std::chrono::steady_clock::now() < end)
				sums[static_cast<size_t>(t)] += round_of_work(rng);
		});
	for (auto &t : pool)
		t.join();
	return sums[0] < -1e300;
}
