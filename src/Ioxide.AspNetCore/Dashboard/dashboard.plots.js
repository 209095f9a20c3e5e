'use strict';

// Totals come once a second; this page makes rates of them, keeps five minutes, and draws what is in sight.
const kept = 300;
const byId = id => document.getElementById(id);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Text that stays as it is, is left alone: nothing flickers, and a screen reader is not told again.
function say(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', minimumFractionDigits: 1, maximumFractionDigits: 1 });
function count(value) {
  return value >= 10000 ? compact.format(value) : Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) {
    value /= 1000;
  }
  return `${value >= 100 || unit === 0 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`;
}

const percent = value => `${(value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
const seconds = value => value < 1 ? `${(value * 1000).toFixed(value < 0.01 ? 2 : 0)} ms` : `${value.toFixed(1)} s`;
const known = (format, value) => Number.isFinite(value) ? format(value) : '\u2013';

// The least of 1, 2, 5, 10, 20, ... that is enough, so that a scale changes seldom.
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map(step => step * power).find(limit => limit >= value) ?? 10 * power;
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

// With many reactors most plots are out of sight, and are drawn when they come into it.
const plots = new WeakMap();
const sight = new IntersectionObserver(entries => {
  for (const entry of entries) {
    const plot = plots.get(entry.target);
    plot.isInSight = entry.isIntersecting;
    plot.draw(plot.limit);
  }
});

// One plot: a line over an area. Its numbers stand beside it as text, so it is hidden from screen readers.
class Plot {
  constructor(name) {
    const make = part => document.createElementNS('http://www.w3.org/2000/svg', part);
    this.name = name;
    this.svg = make('svg');
    this.svg.setAttribute('viewBox', `0 0 ${kept - 1} 100`);
    this.svg.setAttribute('preserveAspectRatio', 'none');
    this.svg.setAttribute('aria-hidden', 'true');
    this.area = make('path');
    this.line = make('path');
    this.area.setAttribute('class', 'area');
    this.line.setAttribute('class', 'line');
    this.svg.append(this.area, this.line);
    this.limit = 1;
    this.isInSight = false;
    plots.set(this.svg, this);
    sight.observe(this.svg);
  }

  draw(limit) {
    this.limit = limit;
    if (!this.isInSight) {
      return;
    }
    const values = track(this.name).values;
    let line = '';
    let area = '';
    let start = NaN;
    for (let index = 0; index <= values.length; index++) {
      const x = kept - values.length + index - 1;
      if (index < values.length && !Number.isNaN(values[index])) {
        const y = (100 - values[index] / limit * 98).toFixed(1);
        line += Number.isNaN(start) ? `M${x} ${y}H${x}` : `L${x} ${y}`;
        area += Number.isNaN(start) ? `M${x} 100V${y}` : `L${x} ${y}`;
        start = Number.isNaN(start) ? x : start;
      } else if (!Number.isNaN(start)) {
        area += 'V100Z';
        start = NaN;
      }
    }
    this.line.setAttribute('d', line);
    this.area.setAttribute('d', area);
  }
}

function highest(names) {
  let found = 0;
  for (const name of names) {
    for (const value of track(name).values) {
      found = value > found ? value : found;
    }
  }
  return found;
}

// A plot with its title, its value in large, and its scale.
class Figure {
  constructor(parent, name, title, detail, format, limit) {
    this.format = format;
    this.limit = limit;
    this.plot = new Plot(name);
    this.value = element('span', { className: 'value' });
    this.scale = element('span', { className: 'scale' });
    const caption = element('figcaption', {}, title);
    if (detail) {
      caption.append(' ', element('b', {}, detail));
    }
    this.node = element('figure', {}, caption, this.value, this.plot.svg, this.scale);
    this.node.dataset.name = name;
    parent.append(this.node);
  }

  draw(text) {
    const limit = this.limit ?? ceiling(highest([this.plot.name]));
    say(this.value, text);
    say(this.scale, `0 to ${this.format(limit)}`);
    this.plot.draw(limit);
  }
}
