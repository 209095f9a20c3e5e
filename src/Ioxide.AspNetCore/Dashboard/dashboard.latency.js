// Durations come as totals by their length: pairs of a bucket's end in microseconds and a count. The difference of two readings is what
// ended between them. Source: LatencyBuckets.cs.
function totalsOf(pairs, into = new Map()) {
  for (let index = 0; index < pairs.length; index += 2) {
    into.set(pairs[index], (into.get(pairs[index]) ?? 0) + pairs[index + 1]);
  }
  return into;
}

// In seconds, from the middle of the bucket: at most one sixteenth off. Not a number where nothing ended.
function percentiles(later, earlier, shares) {
  const ended = [];
  let total = 0;
  for (const [end, amount] of later) {
    const more = amount - (earlier?.get(end) ?? 0);
    if (more > 0) {
      ended.push([end, more]);
      total += more;
    }
  }
  ended.sort(([one], [other]) => one - other);
  return shares.map(share => {
    let left = Math.ceil(share * total);
    for (const [end, amount] of ended) {
      left -= amount;
      if (left <= 0) {
        const width = end <= 16 ? 1 : 2 ** (Math.floor(Math.log2(end - 1)) - 3);
        return (end - width / 2) / 1e6;
      }
    }
    return NaN;
  });
}

// Readings of the last minute, of which percentiles of one second and of the whole minute are made.
class Latencies {
  constructor() {
    this.readings = [];
  }

  take(totals) {
    this.readings.push(totals);
    this.readings.splice(0, this.readings.length - 61);
  }

  ofSecond(shares) {
    return this.readings.length < 2 ? shares.map(() => NaN) : percentiles(this.readings.at(-1), this.readings.at(-2), shares);
  }

  // Counts begin with the first page, so that what the first reading has, has ended within this watching too.
  ofMinute(shares) {
    return this.readings.length === 0 ? shares.map(() => NaN)
      : percentiles(this.readings.at(-1), this.readings.length > 60 ? this.readings[0] : null, shares);
  }
}
