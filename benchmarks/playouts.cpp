// Uniformly random playouts of K+ Klondike, written straightforwardly: piles are arrays, moves are
// found by looking. What `benchmarks/rollouts.py` compares the project's state machine with.
//
//     playouts DRAW LIMIT PLAYOUTS < deals
//
// Each line of the input is a deal, 52 numbers in flat order (rank * 4 + suit). Every deal is played
// PLAYOUTS times, at most LIMIT macro moves each. Prints moves, the sum of the numbers of macro moves
// to choose from, and seconds.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Position {
    int8_t column[7][24];
    int8_t size[7], down[7];
    int8_t height[4];
    int8_t stock[24];
    int8_t left, waste;
};

struct Move {
    int8_t from;   // column 0..6, 7 + suit for a foundation, 11 for the stock
    int8_t to;     // column 0..6, or 7 for the foundation
    int8_t place;  // level in the column, or place in the stock
};

static uint64_t state = 88172645463325252ull;

static uint32_t below(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(((state & 0xFFFFFFFF) * bound) >> 32);
}

static void deal(const int8_t *cards, Position &p) {
    memset(&p, 0, sizeof p);
    for (int c = 0; c < 7; c++) {
        for (int at = 0; at <= c; at++) p.column[c][at] = *cards++;
        p.size[c] = c + 1;
        p.down[c] = c;
    }
    memcpy(p.stock, cards, 24);
    p.left = 24;
}

static bool fits(int card, int parent) {
    return parent / 4 == card / 4 + 1 && ((parent ^ card) & 1);
}

static void targets(const Position &p, int card, int from, int place, Move *moves, int &count) {
    bool king_placed = false;
    for (int c = 0; c < 7; c++) {
        if (c == from) continue;
        if (p.size[c] == 0) {
            if (card / 4 != 12 || king_placed || (from < 7 && place == 0)) continue;
            king_placed = true;
        } else if (!fits(card, p.column[c][p.size[c] - 1])) {
            continue;
        }
        moves[count++] = Move{(int8_t)from, (int8_t)c, (int8_t)place};
    }
}

static int legal(const Position &p, int draw, Move *moves) {
    int count = 0;
    for (int c = 0; c < 7; c++) {
        if (p.size[c] == 0) continue;
        int top = p.column[c][p.size[c] - 1];
        if (p.height[top & 3] == top / 4) moves[count++] = Move{(int8_t)c, 7, (int8_t)(p.size[c] - 1)};
        for (int at = p.down[c]; at < p.size[c]; at++) targets(p, p.column[c][at], c, at, moves, count);
    }
    for (int s = 0; s < 4; s++)
        if (p.height[s] > 0) targets(p, 4 * (p.height[s] - 1) + s, 7 + s, 0, moves, count);
    bool seen[24] = {};
    auto look = [&](int at) {
        if (seen[at]) return;
        seen[at] = true;
        int card = p.stock[at];
        if (p.height[card & 3] == card / 4) moves[count++] = Move{11, 7, (int8_t)at};
        targets(p, card, 11, at, moves, count);
    };
    if (p.left > 0) {
        if (p.waste > 0)
            for (int at = p.waste - 1; at < p.left; at += draw) look(at);
        for (int at = draw - 1; at < p.left; at += draw) look(at);
        look(p.left - 1);
    }
    return count;
}

static void play(Position &p, Move m) {
    int8_t moved[24];
    int count = 1;
    if (m.from < 7) {
        count = p.size[m.from] - m.place;
        memcpy(moved, p.column[m.from] + m.place, count);
        p.size[m.from] = m.place;
        if (p.down[m.from] > 0 && p.down[m.from] == p.size[m.from]) p.down[m.from]--;
    } else if (m.from < 11) {
        moved[0] = 4 * --p.height[m.from - 7] + m.from - 7;
    } else {
        moved[0] = p.stock[m.place];
        memmove(p.stock + m.place, p.stock + m.place + 1, p.left - m.place - 1);
        p.left--;
        p.waste = m.place;
    }
    if (m.to == 7) {
        p.height[moved[0] & 3]++;
    } else {
        memcpy(p.column[m.to] + p.size[m.to], moved, count);
        p.size[m.to] += count;
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int draw = atoi(argv[1]), limit = atoi(argv[2]), playouts = atoi(argv[3]);
    static int8_t deals[100000][52];
    int n = 0;
    for (int number; n < 100000; n++) {
        int at = 0;
        while (at < 52 && scanf("%d", &number) == 1) deals[n][at++] = number;
        if (at < 52) break;
    }
    long moves_played = 0, choices = 0;
    auto start = std::chrono::steady_clock::now();
    for (int d = 0; d < n; d++) {
        Position first;
        deal(deals[d], first);
        for (int k = 0; k < playouts; k++) {
            Position p = first;
            Move moves[128];
            for (int step = 0; step < limit; step++) {
                int count = legal(p, draw, moves);
                if (count == 0) break;
                choices += count;
                moves_played++;
                play(p, moves[below(count)]);
            }
        }
    }
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    printf("%ld %ld %.6f\n", moves_played, choices, took.count());
}
