// What is measured of each reactor: a number of its part of a sample, or the change of one in a second. "of" names what it is a part of;
// "isMain" stays a plot on a narrow page.
const columns = [
  { name: 'requests', title: 'Requests', format: perSecond, isRate: true, isMain: true },
  { name: 'connections', title: 'Connections', format: count, isMain: true },
  { name: 'busySeconds', title: 'Busy', format: percent, isRate: true, limit: 1, isMain: true },
  { name: 'receivedBytes', title: 'Received', format: bytesPerSecond, isRate: true },
  { name: 'sentBytes', title: 'Sent', format: bytesPerSecond, isRate: true },
  { name: 'buffersTaken', title: 'Buffers taken', format: count, of: 'buffers' },
  { name: 'accepted', title: 'Accepted', format: perSecond, isRate: true },
  { name: 'queued', title: 'Posted work', format: count },
  { name: 'operations', title: 'In flight', format: count },
  { name: 'turns', title: 'Turns', format: perSecond, isRate: true },
  { name: 'stalls', title: 'Stalls', format: count },
];

// Rows stay tables for a screen reader where the style lays them out as blocks.
function tableRow(name, ...cells) {
  const made = element('tr', {}, name, ...cells);
  made.setAttribute('role', 'row');
  name.setAttribute('role', 'rowheader');
  cells.forEach(cell => cell.setAttribute('role', 'cell'));
  return made;
}

function tableCell(column, ...children) {
  const made = element('td', {}, ...children);
  made.dataset.column = column.name;
  made.dataset.title = column.title;
  made.classList.toggle('main', column.isMain === true);
  return made;
}

// A state leads to what it means, at the end of the page.
function tell(link, state, text) {
  say(link, text);
  const target = `#state-${state}`;
  if (link.getAttribute('href') !== target) {
    link.setAttribute('href', target);
  }
}

const rows = new Map();
const table = byId('reactors').querySelector('table');
for (const column of columns) {
  column.scale = element('span', { className: 'scale' });
  table.tHead.rows[0].append(element('th', { scope: 'col' }, column.title, column.scale));
}

function row(id) {
  let made = rows.get(id);
  if (!made) {
    made = { condition: element('a', { className: 'condition' }), cells: new Map() };
    const cells = columns.map(column => {
      const cell = { value: element('span', { className: 'value' }), plot: new Plot([{ name: `${id}.${column.name}` }], column.format) };
      made.cells.set(column.name, cell);
      return tableCell(column, cell.value, cell.plot.svg);
    });
    made.node = tableRow(element('th', { scope: 'row' }, element('span', { className: 'name' }, String(id)), made.condition), ...cells);
    made.node.dataset.reactor = id;
    table.tBodies[0].append(made.node);
    rows.set(id, made);
    table.classList.toggle('many', rows.size > 16);
  }
  return made;
}

const conditionNames = { turning: 'ok', paused: 'not accepting', short: 'no processor' };

function drawReactors(reactors) {
  byId('reactors').hidden = reactors.length === 0;
  for (const [id, old] of rows) {
    if (!reactors.some(reactor => reactor.id === id)) {
      old.node.remove();
      rows.delete(id);
    }
  }
  for (const reactor of reactors) {
    const shown = row(reactor.id);
    shown.node.dataset.condition = reactor.condition;
    const name = conditionNames[reactor.condition] ?? reactor.condition;
    const isHeld = reactor.condition === 'stalled' || reactor.condition === 'stuck';
    tell(shown.condition, reactor.condition, isHeld ? `${name} ${seconds(reactor.heldMs / 1000)}` : name);
  }
  for (const column of columns) {
    const limit = column.limit ?? ceiling(highest(reactors.map(reactor => `${reactor.id}.${column.name}`)), 1);
    say(column.scale, `0 to ${scaleText(column.format, limit)}`);
    for (const reactor of reactors) {
      const cell = row(reactor.id).cells.get(column.name);
      const of = column.of ? ` of ${count(reactor[column.of])}` : '';
      say(cell.value, known(column.format, newest(`${reactor.id}.${column.name}`)) + of);
      cell.plot.draw(limit);
    }
  }
}

const endpointColumns = [
  { name: 'requests', title: 'Requests', isMain: true },
  { name: 'p50', title: 'p50' },
  { name: 'p99', title: 'p99', isMain: true },
  { name: 'serverErrors', title: 'Server errors' },
  { name: 'clientErrors', title: 'Client errors' },
  { name: 'runsOn', title: 'Runs on' },
  { name: 'stall', title: 'Last stall' },
];
const endpointTable = byId('endpoints').querySelector('table');
for (const column of endpointColumns) {
  column.scale = element('span', { className: 'scale' });
  endpointTable.tHead.rows[0].append(element('th', { scope: 'col' }, column.title, column.scale));
}

// Only adaptive scheduling has a state, and only the thread pool counts runs.
function runsOn(endpoint) {
  const left = () => `${known(count, endpoint.quickRuns)} of ${known(count, endpoint.neededRuns)} quick runs`;
  switch (endpoint.state) {
    case 'inline': return 'reactor';
    case 'pinned': return 'thread pool, as it asks for';
    case 'proving': return `thread pool: ${left()}`;
    case 'demoted': return `thread pool, demoted: ${left()}`;
    default: return '\u2013';
  }
}

// The dashboard's own routes, and what nobody has asked, are hidden until a reader asks for them.
const base = location.pathname.replace(/\/+$/, '');
const ownNames = new Set(['Ioxide dashboard', 'Ioxide dashboard events', 'Ioxide dump', base, `${base}/events`, `${base}/dump`]);
const isOwn = endpoint => ownNames.has(endpoint.name.replace(/^GET /, '').replace(/\/+$/, ''));
const isUnused = endpoint => endpoint.requests === 0 && !endpoint.demotions;
let showsAll = false;
byId('more').addEventListener('click', () => {
  showsAll = !showsAll;
  byId('more').setAttribute('aria-pressed', String(showsAll));
  drawEndpoints(endpoints);
});

// The name without what the framework puts before each; what has no name is not an endpoint.
const endpointName = endpoint => endpoint.name.replace(/^HTTP: /, '') || 'no endpoint';

const endpointRows = new Map();
function endpointRow(name) {
  let made = endpointRows.get(name);
  if (!made) {
    const plot = { requests: new Plot([{ name: `${name} requests` }], perSecond) };
    plot.p99 = new Plot([{ name: `${name} p99`, title: 'p99' }, { name: `${name} p50`, title: 'p50', style: 'second' }], seconds);
    made = { values: new Map(), plot, latencies: new Latencies(), epoch: '' };
    const cells = endpointColumns.map(column => {
      const value = element(column.name === 'runsOn' ? 'a' : 'span', { className: 'value' });
      made.values.set(column.name, value);
      return tableCell(column, value, ...(plot[column.name] ? [plot[column.name].svg] : []));
    });
    made.total = element('span', { className: 'scale' });
    made.node = tableRow(element('th', { scope: 'row' }, element('span', { className: 'name' }, ...breakable(name)), made.total), ...cells);
    made.node.dataset.endpoint = name;
    endpointRows.set(name, made);
  }
  return made;
}

// Takes what a sample has of each endpoint; two of one name count as one.
function takeEndpoints(sample) {
  const merged = new Map();
  for (const each of sample.endpoints) {
    const name = endpointName(each);
    const known = merged.get(name);
    const add = key => (known?.[key] ?? 0) + each[key];
    merged.set(name, {
      ...known, ...each, name, totals: totalsOf(each.latencyUs, known?.totals),
      ...Object.fromEntries(['requests', 'clientErrors', 'serverErrors', 'aborted'].map(key => [key, add(key)])),
    });
  }
  for (const [name, each] of merged) {
    const shown = endpointRow(name);
    if (shown.epoch !== sample.epoch) {
      shown.latencies = new Latencies();
      shown.epoch = sample.epoch;
    }
    shown.latencies.take(each.totals);
    rate(`${name} requests`, each.requests);
    rate(`${name} serverErrors`, each.serverErrors);
    const [p50, p99] = shown.latencies.ofSecond([0.5, 0.99]);
    push(`${name} p50`, p50);
    push(`${name} p99`, p99);
  }
  return [...merged.values()];
}

function drawEndpoints(endpoints) {
  byId('endpoints').hidden = endpoints.length === 0;
  const others = endpoints.filter(each => !isOwn(each));
  const own = endpoints.length - others.length;
  const unused = others.filter(isUnused).length;
  const hidden = [own > 0 ? `${own} of this page` : '', unused > 0 ? `${unused} without a request` : ''].filter(Boolean).join(', ');
  byId('more').hidden = !hidden;
  say(byId('more'), `Show all: ${hidden}`);
  const requestLimit = ceiling(highest(others.map(each => `${each.name} requests`)), 1);
  const latencies = decades(others.flatMap(each => [`${each.name} p50`, `${each.name} p99`]));
  endpointColumns.forEach(({ name, scale }) => say(scale, name === 'requests' ? `0 to ${scaleText(perSecond, requestLimit)}`
    : name === 'p99' ? `${scaleText(seconds, latencies.floor)} to ${scaleText(seconds, latencies.limit)}` : ''));
  const names = new Set(endpoints.map(each => each.name));
  for (const [name, old] of endpointRows) {
    if (!names.has(name)) {
      old.node.remove();
      endpointRows.delete(name);
    }
  }
  endpoints.forEach((endpoint, index) => {
    const shown = endpointRow(endpoint.name);
    const body = endpointTable.tBodies[0];
    if (body.rows[index] !== shown.node) {
      body.insertBefore(shown.node, body.rows[index] ?? null);
    }
    shown.node.dataset.state = endpoint.state ?? '';
    shown.node.classList.toggle('steady', !endpoint.demotions);
    shown.node.hidden = !showsAll && (isOwn(endpoint) || isUnused(endpoint));
    shown.node.classList.toggle('failing', isHappening(`${endpoint.name} serverErrors`));
    const [p50, p99] = shown.latencies.ofMinute([0.5, 0.99]);
    const texts = {
      requests: known(perSecond, newest(`${endpoint.name} requests`)),
      p50: known(seconds, p50),
      p99: known(seconds, p99),
      serverErrors: whole.format(endpoint.serverErrors),
      clientErrors: whole.format(endpoint.clientErrors) + (endpoint.aborted > 0 ? `, ${whole.format(endpoint.aborted)} aborted` : ''),
      runsOn: runsOn(endpoint),
      stall: endpoint.demotions > 0 ? `${seconds(endpoint.stalledMs / 1000)}, ${plural(endpoint.demotions, 'demotion')}` : '\u2013',
    };
    say(shown.total, plural(endpoint.requests, 'request'));
    for (const [name, value] of shown.values) {
      say(value, texts[name]);
    }
    if (endpoint.state) {
      tell(shown.values.get('runsOn'), endpoint.state, texts.runsOn);
    }
    shown.plot.requests.draw(requestLimit);
    shown.plot.p99.draw(latencies.limit, latencies.floor);
  });
}
