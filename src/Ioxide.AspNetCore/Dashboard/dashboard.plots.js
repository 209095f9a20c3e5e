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
    plot.draw(plot.limit);
  }
});

const width = 1000;
const svgPart = name => document.createElementNS('http://www.w3.org/2000/svg', name);
function drawn(name, style) {
  const made = svgPart(name);
  made.setAttribute('class', style);
  return made;
}

// One plot: a line over an area for each of its tracks. Its numbers stand beside it as text, so it is hidden from screen readers.
class Plot {
  // Each of "series" has the name of its track, a title for the hover, and maybe a style.
  constructor(series, format) {
    this.series = series;
    this.format = format;
    this.svg = svgPart('svg');
    this.svg.setAttribute('viewBox', `0 0 ${width} 100`);
    this.svg.setAttribute('preserveAspectRatio', 'none');
    this.svg.setAttribute('aria-hidden', 'true');
    this.grid = drawn('path', 'grid');
    this.grid.setAttribute('d', `M0 2H${width}M0 51H${width}`);
    this.cross = drawn('path', 'cross');
    this.svg.append(this.grid);
    this.shapes = series.map(each => {
      const shape = { area: drawn('path', `area ${each.style ?? ''}`), line: drawn('path', `line ${each.style ?? ''}`) };
      this.svg.append(shape.area, shape.line);
      return shape;
    });
    this.svg.append(this.cross);
    this.limit = 1;
    this.isInSight = false;
    plots.set(this.svg, this);
    sight.observe(this.svg);
    const follow = happened => hover.over(this, happened.clientX);
    this.svg.addEventListener('pointermove', follow);
    this.svg.addEventListener('pointerdown', follow);
    this.svg.addEventListener('pointerleave', () => hover.leave());
  }

  draw(limit) {
    this.limit = limit;
    if (!this.isInSight) {
      return;
    }
    this.series.forEach(({ name }, index) => {
      const values = track(name).values.slice(-view.span);
      let line = '';
      let area = '';
      let start = NaN;
      for (let second = 0; second <= values.length; second++) {
        const x = placeOf(values.length - 1 - second).toFixed(1);
        if (second < values.length && !Number.isNaN(values[second])) {
          const y = (100 - Math.min(values[second] / limit, 1) * 98).toFixed(1);
          line += Number.isNaN(start) ? `M${x} ${y}H${x}` : `L${x} ${y}`;
          area += Number.isNaN(start) ? `M${x} 100V${y}` : `L${x} ${y}`;
          start = Number.isNaN(start) ? second : start;
        } else if (!Number.isNaN(start)) {
          area += 'V100Z';
          start = NaN;
        }
      }
      this.shapes[index].line.setAttribute('d', line);
      this.shapes[index].area.setAttribute('d', area);
    });
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
    const share = Math.min(Math.max((this.clientX - box.left) / box.width, 0), 1);
    const age = Math.round((1 - share) * (view.span - 1));

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
    const x = box.left + share * box.width;
    const left = x + 8 + node.offsetWidth > document.documentElement.clientWidth ? x - 8 - node.offsetWidth : x + 8;
    node.style.left = `${Math.max(4, left)}px`;
    node.style.top = `${Math.max(4, box.top + (box.height - node.offsetHeight) / 2)}px`;
  },
};
addEventListener('scroll', () => hover.leave(), { passive: true });

// A plot with its title, its value in large, what the value is made of, its scale and its time.
class Figure {
  constructor(parent, { name, title, detail, series, format, limit, least }) {
    this.format = format;
    this.limit = limit;
    this.least = least ?? 1;
    this.plot = new Plot(series ?? [{ name }], format);
    this.value = element('span', { className: 'value' });
    this.note = element('span', { className: 'note' });
    this.top = element('span', { className: 'top' });
    this.from = element('span', { className: 'from' });
    const caption = element('figcaption', {}, title);
    if (detail) {
      caption.append(' ', element('b', {}, detail));
    }
    for (const { title: key, style } of (series ?? []).filter(each => each.title)) {
      caption.append(element('span', { className: `key ${style ?? ''}` }, key));
    }
    this.node = element('figure', {}, caption, element('p', {}, this.value, this.note),
      element('div', { className: 'frame' }, this.plot.svg, this.top),
      element('div', { className: 'time' }, this.from, element('span', {}, 'now')));
    this.node.dataset.name = name;
    parent.append(this.node);
  }

  draw(text, note = '') {
    const limit = this.limit ?? ceiling(highest(this.plot.series.map(each => each.name)), this.least);
    say(this.value, text);
    say(this.note, note);
    say(this.top, scaleText(this.format, limit));
    say(this.from, ago(view.span - 1));
    this.plot.draw(limit);
  }
}
