// Totals come once a second; this page makes rates of them, keeps five minutes, and draws what is in sight.
const kept = 300;
const least = 10;
const byId = id => document.getElementById(id);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Text that stays as it is, is left alone: nothing flickers, and a screen reader does not repeat it.
function say(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

// A name that may be broken behind its separators, and not inside a word.
function breakable(name) {
  return name.split(/(?<=[/.:_-])/).flatMap((part, index) => index > 0 ? [element('wbr'), part] : [part]);
}

// What was measured, by name, a value a second; where there was none, not a number.
const tracks = new Map();
function track(name) {
  let made = tracks.get(name);
  if (!made) {
    tracks.set(name, made = { values: [], total: NaN, isFresh: false });
  }
  return made;
}

function push(name, value) {
  const to = track(name);
  to.values.push(value);
  to.isFresh = true;
  return value;
}

// The change of a total in a second. Totals of two epochs have nothing in common.
let elapsed = NaN;
function rate(name, total) {
  const to = track(name);
  const before = to.total;
  to.total = total;
  return push(name, total >= before ? (total - before) / elapsed : NaN);
}

const newest = name => track(name).values.at(-1);

function highest(names) {
  let found = 0;
  for (const name of names) {
    for (const value of track(name).values.slice(-view.span)) {
      found = value > found ? value : found;
    }
  }
  return found;
}

function highestSum(names) {
  let found = 0;
  for (let age = 1; age <= view.span; age++) {
    found = Math.max(found, names.reduce((sum, name) => sum + (track(name).values.at(-age) || 0), 0));
  }
  return found;
}

// Whether anything was counted in the last minute: totals stay for good, and only this is news.
const isHappening = name => track(name).values.slice(-60).some(value => value > 0);

// Durations span decades: their scale is logarithmic, from one power of ten to another.
function decades(names) {
  let low = Infinity;
  let high = 0;
  for (const name of names) {
    for (const value of track(name).values.slice(-view.span)) {
      if (value > 0) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  if (high === 0) {
    return { floor: 0.0001, limit: 0.01 };
  }
  const floor = 10 ** Math.max(-5, Math.floor(Math.log10(low) + 1e-9));
  return { floor, limit: Math.max(10 ** Math.ceil(Math.log10(high) - 1e-9), floor * 10) };
}

// The seconds that plots show: from the first sample on, so that the width is full from the tenth second, until five minutes are. "at"
// is the second that was newest when they were drawn.
let seen = 0;
let newestAt = 0;
const view = { span: least, at: 0 };
function look() {
  // Rates begin with the second sample.
  view.span = Math.max(least, Math.min(seen - 1, kept));
  view.at = seen;
}

// With many reactors most plots are out of sight, and are drawn when they come into it.
const plots = new WeakMap();
const sight = new IntersectionObserver(entries => {
  for (const entry of entries) {
    const plot = plots.get(entry.target);
    plot.isInSight = entry.isIntersecting;
    plot.draw(plot.limit, plot.floor);
  }
});

const width = 1000;
const svgPart = name => document.createElementNS('http://www.w3.org/2000/svg', name);
function drawn(name, style) {
  const made = svgPart(name);
  made.setAttribute('class', style);
  return made;
}

// How high a value lies on a scale, from 0 to 1. With a floor the scale is logarithmic.
const share = (value, limit, floor) => floor > 0
  ? Math.log(Math.min(Math.max(value, floor), limit) / floor) / Math.log(limit / floor)
  : Math.min(value / limit, 1);
const heightOf = (value, limit, floor) => (100 - share(value, limit, floor) * 98).toFixed(1);

// One plot: a line over an area for each of its tracks, on top of each other where they are parts of one whole. Its numbers stand beside it as text, so it is hidden from screen readers.
class Plot {
  // Each of "series" has the name of its track, a title for the hover, and maybe a style.
  constructor(series, format, isStacked = false) {
    this.series = [];
    this.shapes = [];
    this.format = format;
    this.isStacked = isStacked;
    this.svg = svgPart('svg');
    this.svg.setAttribute('viewBox', `0 0 ${width} 100`);
    this.svg.setAttribute('preserveAspectRatio', 'none');
    this.svg.setAttribute('aria-hidden', 'true');
    this.grid = drawn('path', 'grid');
    this.cross = drawn('path', 'cross');
    this.svg.append(this.grid, this.cross);
    series.forEach(each => this.add(each));
    this.limit = 1;
    this.floor = 0;
    this.isInSight = false;
    plots.set(this.svg, this);
    sight.observe(this.svg);
    const follow = happened => hover.over(this, happened.clientX);
    this.svg.addEventListener('pointermove', follow);
    this.svg.addEventListener('pointerdown', follow);
    this.svg.addEventListener('pointerleave', () => hover.leave());
  }

  add(series) {
    const shape = { area: drawn('path', `area ${series.style ?? ''}`), line: drawn('path', `line ${series.style ?? ''}`) };
    this.series.push(series);
    this.shapes.push(shape);
    this.cross.before(shape.area, shape.line);
  }

  draw(limit, floor = 0) {
    this.limit = limit;
    this.floor = floor;
    if (!this.isInSight) {
      return;
    }
    this.drawGrid();
    const below = new Array(kept).fill(0);
    this.series.forEach(({ name }, index) => this.drawShape(this.shapes[index], track(name).values.slice(-view.span), below));
  }

  // The top and the middle; on a logarithmic scale each power of ten.
  drawGrid() {
    let lines = `M0 2H${width}`;
    if (this.floor > 0) {
      for (let value = this.floor * 10; value < this.limit * 0.99; value *= 10) {
        lines += `M0 ${heightOf(value, this.limit, this.floor)}H${width}`;
      }
    } else {
      lines += `M0 51H${width}`;
    }
    this.grid.setAttribute('d', lines);
  }

  // Seconds without a value are gaps. What is stacked begins where the track below it ends.
  drawShape({ line, area }, values, below) {
    let lines = '';
    let areas = '';
    let tops = [];
    let bottoms = [];
    const end = () => {
      if (tops.length > 0) {
        lines += `M${tops.length > 1 ? tops.join('L') : `${tops[0]}h0`}`;
        areas += `M${tops.join('L')}L${bottoms.reverse().join('L')}Z`;
        tops = [];
        bottoms = [];
      }
    };
    values.forEach((value, second) => {
      if (Number.isNaN(value)) {
        end();
        return;
      }
      const age = values.length - 1 - second;
      const x = placeOf(age).toFixed(1);
      const from = this.isStacked ? below[age] : 0;
      tops.push(`${x} ${heightOf(from + value, this.limit, this.floor)}`);
      bottoms.push(`${x} ${from > 0 ? heightOf(from, this.limit, this.floor) : 100}`);
      below[age] += value;
    });
    end();
    line.setAttribute('d', lines);
    area.setAttribute('d', areas);
  }
}

// Where a value of so many seconds before the newest one lies.
const placeOf = age => width * (1 - age / (view.span - 1));

// The values under the pointer, and their time. It follows the pointer and, while the pointer rests, the plot.
const hover = {
  plot: null,
  clientX: 0,
  over(plot, clientX) {
    if (this.plot !== plot) {
      this.leave();
    }
    this.plot = plot;
    this.clientX = clientX;
    this.show();
  },
  leave() {
    this.plot?.cross.removeAttribute('d');
    this.plot = null;
    byId('hover').hidden = true;
  },
  show() {
    if (!this.plot) {
      return;
    }
    const box = this.plot.svg.getBoundingClientRect();
    const place = Math.min(Math.max((this.clientX - box.left) / box.width, 0), 1);
    const age = Math.round((1 - place) * (view.span - 1));

    // Samples that came since the plot was drawn, while it is held, are newer than its right end.
    const late = seen - view.at;
    this.plot.cross.setAttribute('d', `M${placeOf(age)} 0V100`);
    const rows = this.plot.series.map(({ name, title }) => {
      const text = known(this.plot.format, track(name).values.at(-1 - age - late));
      return element('div', {}, element('b', {}, text), title ? ` ${title}` : '');
    });
    const clock = new Date(newestAt - (age + late) * 1000).toLocaleTimeString('en-GB');
    const node = byId('hover');
    node.replaceChildren(element('div', { className: 'when' }, `${clock}, ${ago(age + late)}`), ...rows);
    node.hidden = false;

    // Beside the line, on the side that has room.
    const x = box.left + place * box.width;
    const left = x + 8 + node.offsetWidth > document.documentElement.clientWidth ? x - 8 - node.offsetWidth : x + 8;
    node.style.left = `${Math.max(4, left)}px`;
    node.style.top = `${Math.max(4, box.top + (box.height - node.offsetHeight) / 2)}px`;
  },
};
addEventListener('scroll', () => hover.leave(), { passive: true });

// A plot with its title, its value in large, what the value is made of, its scale and its time.
class Figure {
  constructor(parent, { name, title, series, format, limit, least, isLogarithmic, isStacked }) {
    this.format = format;
    this.limit = limit;
    this.least = least ?? 1;
    this.isLogarithmic = isLogarithmic === true;
    this.plot = new Plot([], format, isStacked);
    this.value = element('span', { className: 'value' });
    this.note = element('span', { className: 'note' });
    this.top = element('span', { className: 'top' });
    this.bottom = element('span', { className: 'bottom' });
    this.from = element('span', { className: 'from' });
    this.caption = element('figcaption', {}, title);
    this.keys = new Map();
    this.node = element('figure', { className: isStacked ? 'stack' : '' }, this.caption, element('p', {}, this.value, this.note),
      element('div', { className: 'frame' }, this.plot.svg, this.top, this.bottom),
      element('div', { className: 'time' }, this.from, element('span', {}, 'now')));
    this.node.dataset.name = name;
    (series ?? (isStacked ? [] : [{ name }])).forEach(each => this.add(each));
    parent.append(this.node);
  }

  // What has a title, gets a key: its color, its title and, where it is one part of several, its value.
  add(series) {
    this.plot.add(series);
    if (series.title) {
      const value = element('b');
      this.caption.append(' ', element('span', { className: `key ${series.style ?? ''}` }, ...breakable(series.title), ' ', value));
      this.keys.set(series.name, value);
    }
  }

  draw(text, note = '') {
    const names = this.plot.series.map(each => each.name);
    const { floor, limit } = this.isLogarithmic ? decades(names)
      : { floor: 0, limit: this.limit ?? ceiling(this.plot.isStacked ? highestSum(names) : highest(names), this.least) };
    if (this.plot.isStacked) {
      this.keys.forEach((value, name) => say(value, known(this.format, newest(name))));
    }
    say(this.value, text);
    say(this.note, note);
    say(this.top, scaleText(this.format, limit));
    say(this.bottom, floor > 0 ? scaleText(this.format, floor) : '');
    say(this.from, ago(view.span - 1));
    this.plot.draw(limit, floor);
  }
}
