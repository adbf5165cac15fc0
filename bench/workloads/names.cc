// names SECONDS: a C++ program whose functions have long names: maps of maps, regular expressions, string
// streams, sorting with lambdas, and recursion through nested std::function. Its stacks are deep, and some
// thousand of them differ by name: most of a report's work comes after decoding.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace warehouse {
struct row : std::map<std::string, std::vector<std::string>> {};
struct table : std::map<std::string, row> {};
static std::mt19937 random_source(7);

static std::string word()
{
	std::string s(3 + random_source() % 12, 'a');
	for (char &c : s)
		c = (char)('a' + random_source() % 26);
	return s;
}

static void fill(table &t)
{
	for (int i = 0; i < 30; i++) {
		row &r = t[word()];
		for (int k = 0; k < 4; k++)
			r[word()].push_back(word());
	}
	if (t.size() > 200)
		t.clear();
}

template <class Compare> static size_t arranged(const table &t, Compare less)
{
	std::vector<std::pair<std::string, std::string>> flat;
	for (const auto &[name, r] : t)
		for (const auto &[column, values] : r)
			flat.emplace_back(column, values.front());
	std::sort(flat.begin(), flat.begin() + (ptrdiff_t)std::min<size_t>(flat.size(), 150), less);
	return flat.size();
}

static size_t matched(const table &t)
{
	const std::regex one("(a|b)*[c-f]+(x|y|z)?"), two("^([a-m]{2,5})([n-z]+)(q|u)*$");
	std::smatch m;
	size_t n = 0, seen = 0;
	for (const auto &[name, r] : t) {
		if (seen++ == 6)
			break;
		n += std::regex_search(name, m, one) + std::regex_match(name, m, two);
	}
	return n;
}

static std::string printed(const table &t)
{
	std::ostringstream text;
	size_t seen = 0;
	for (const auto &[name, r] : t) {
		if (seen++ == 8)
			break;
		text << name << ':' << r.size() << ' ' << 3.25 * (double)name.size() << std::hex << name.size() << '\n';
	}
	return text.str();
}

static size_t work(table &t, unsigned which)
{
	using pair = std::pair<std::string, std::string>;
	switch (which % 6) {
	case 0: fill(t); return t.size();
	case 1: return matched(t);
	case 2: return printed(t).size();
	case 3: return arranged(t, [](const pair &a, const pair &b) { return a.first < b.first; });
	case 4: return arranged(t, [](const pair &a, const pair &b) { return a.second.size() < b.second.size(); });
	default: return std::regex_replace(printed(t).substr(0, 60), std::regex("[aeiou]+"), "-").size();
	}
}

using step = std::function<size_t(table &, unsigned deeper, unsigned which)>;

// Each level is a type of its own, so its functions have names of their own.
template <int Level> static step nested()
{
	if constexpr (Level == 0)
		return [](table &t, unsigned, unsigned which) { return work(t, which); };
	else
		return [inner = nested<Level - 1>()](table &t, unsigned deeper, unsigned which) -> size_t {
			return deeper ? inner(t, deeper - 1, which) + 1 : work(t, which);
		};
}

} // namespace warehouse

int main(int argc, char **argv)
{
	using clock = std::chrono::steady_clock;
	auto end = clock::now() + std::chrono::duration<double>(argc > 1 ? atof(argv[1]) : 5);
	warehouse::step start = warehouse::nested<20>();
	warehouse::table t;
	size_t sum = 0;
	while (clock::now() < end)
		sum += start(t, 20 - warehouse::random_source() % 4 * 3, warehouse::random_source());
	return sum == 1;
}
