// What is measured of each reactor: a number of its part of a sample, or the change of one in a second. "of" names what it is a part of.
const perSecond = value => `${count(value)}/s`;
const bytesPerSecond = value => `${bytes(value)}/s`;
const columns = [
  { name: 'requests', title: 'Requests', format: perSecond, isRate: true },
  { name: 'connections', title: 'Connections', format: count, inTotals: true },
  { name: 'busySeconds', title: 'Busy', format: percent, isRate: true, limit: 1, inTotals: true, isMean: true },
  { name: 'receivedBytes', title: 'Received', format: bytesPerSecond, isRate: true, inTotals: true },
  { name: 'sentBytes', title: 'Sent', format: bytesPerSecond, isRate: true, inTotals: true },
  { name: 'buffersTaken', title: 'Receive buffers taken', format: count, of: 'buffers', inTotals: true },
  { name: 'accepted', title: 'Accepted', format: perSecond, isRate: true },
  { name: 'queued', title: 'Posted work waiting', format: count },
  { name: 'operations', title: 'Operations in flight', format: count },
  { name: 'turns', title: 'Turns', format: perSecond, isRate: true },
  { name: 'stalls', title: 'Stalls', format: count },
];

const totals = new Map();
function total(name, title, format, limit) {
  let made = totals.get(name);
  if (!made) {
    totals.set(name, made = new Figure(byId('totals'), name, title, '', format, limit));
  }
  return made;
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
    made = { condition: element('span', { className: 'condition' }), cells: new Map() };
    made.node = element('tr', {}, element('th', { scope: 'row' }, String(id), made.condition));
    made.node.dataset.reactor = id;
    for (const column of columns) {
      const cell = { value: element('span', { className: 'value' }), plot: new Plot(`${id}.${column.name}`) };
      const node = element('td', {}, cell.value, cell.plot.svg);
      node.dataset.column = column.name;
      made.node.append(node);
      made.cells.set(column.name, cell);
    }
    table.tBodies[0].append(made.node);
    rows.set(id, made);
    table.classList.toggle('many', rows.size > 16);
  }
  return made;
}

const libraryTitles = { 'Ioxide.AspNetCore': 'End points by state', 'Ioxide.Pg': 'PostgreSQL', 'Ioxide.Tls': 'TLS', 'Ioxide.Files': 'Static files' };
const libraries = new Map();
function library(meter) {
  let made = libraries.get(meter);
  if (!made) {
    const title = element('h2', { id: `meter-${meter}` }, libraryTitles[meter] ?? meter);
    const figures = element('div', { className: 'figures' });
    const section = element('section', {}, title, figures);
    section.setAttribute('aria-labelledby', title.id);
    section.dataset.meter = meter;
    byId('libraries').append(section);
    libraries.set(meter, made = { figures, known: new Map() });
  }
  return made;
}

// Takes the figures of one sample into the tracks, and says how to show each when it is drawn.
const texts = new Map();
function take(sample) {
  const isSame = last?.epoch === sample.epoch;
  elapsed = isSame ? (sample.timeMs - last.timeMs) / 1000 : NaN;

  // Seconds of which nothing came are gaps.
  const missed = last ? Math.min(kept, Math.round((performance.now() - arrived) / 1000) - 1) : 0;
  for (const each of tracks.values()) {
    for (let second = 0; second < missed; second++) {
      each.values.push(NaN);
    }
    each.total = isSame ? each.total : NaN;
  }
  last = sample;
  arrived = performance.now();

  rate('requests', sample.requests);
  rate('cpu', sample.process.cpuSeconds);
  push('memory', sample.process.memoryBytes);
  push('heap', sample.process.heapBytes);
  for (const column of columns) {
    let sum = 0;
    for (const reactor of sample.reactors) {
      const name = `${reactor.id}.${column.name}`;
      const value = (column.isRate ? rate : push)(name, reactor[column.name]);
      sum += value;
    }
    if (column.inTotals && sample.reactors.length > 0) {
      push(column.name, column.isMean ? sum / sample.reactors.length : sum);
    }
  }
  takeSeries(sample.series);

  for (const each of tracks.values()) {
    if (!each.isFresh) {
      each.values.push(NaN);
      each.total = NaN;
    }
    each.isFresh = false;
    each.values.splice(0, each.values.length - kept);
  }
}

function takeSeries(series) {
  for (const figure of texts.keys()) {
    texts.set(figure, known(count, NaN));
  }
  // Instruments of one name and the same attributes add up: two data sources of one database, say.
  const merged = new Map();
  for (const each of series) {
    const name = `${each.meter} ${each.name} ${each.attributes}`;
    const known = merged.get(name);
    merged.set(name, known ? { ...known, value: known.value + each.value, sum: known.sum + each.sum } : { ...each });
  }
  for (const [name, each] of merged) {
    const value = (each.kind === 'level' ? push : rate)(name, each.value);
    const amount = each.unit === 'By' ? bytes : count;
    const format = each.kind === 'level' ? amount : (number => `${amount(number)}/s`);
    let text = known(format, value);
    if (each.kind === 'histogram') {
      const sums = track(`${name} sum`);
      const mean = (each.sum - sums.total) / elapsed / value;
      sums.total = each.sum;
      push(`${name} sum`, NaN);
      text += ` \u00b7 ${known(each.unit === 's' ? seconds : count, mean)}`;
    }
    const shown = library(each.meter);
    let figure = shown.known.get(name);
    if (!figure) {
      const title = each.kind === 'histogram' ? `${each.what.replace(/\.$/, '')}: how many, mean` : each.what.replace(/\.$/, '');
      shown.known.set(name, figure = new Figure(shown.figures, name, title, each.attributes, format));
    }
    texts.set(figure, text);
  }
}

function problems(reactors) {
  const of = condition => reactors.filter(reactor => reactor.condition === condition).map(reactor => reactor.id).join(', ');
  return [
    [of('ended'), 'has ended: its connections are closed. Restart the process.'],
    [of('stuck'), 'is stuck in a handler: its connections wait. Restart the process if it does not return.'],
    [of('stalled'), 'is held up by a handler: its connections wait.'],
    [of('blocked'), 'is blocked by a wait of a handler: the thread pool serves its connections.'],
    [of('paused'), 'cannot accept: descriptors or memory have run out.'],
  ].filter(([ids]) => ids).map(([ids, what]) => `Reactor ${ids} ${what}`).join(' ');
}

function show(node, text) {
  say(node, text);
  node.hidden = !text;
}

let last = null;
let arrived = 0;
let isHeld = false;
function draw() {
  if (!last || isHeld || document.hidden) {
    return;
  }
  const { process, reactors } = last;
  say(byId('process'), [
    `${process.name} (${process.id}) on ${process.machine}`,
    last.transport === 'io_uring' ? `io_uring, ${reactors.length} reactor${reactors.length === 1 ? '' : 's'}` : 'sockets',
    `${process.processors} processors`, process.runtime, process.system].join(' \u00b7 '));
  show(byId('transport'), last.transport === 'io_uring' ? '' : `io_uring is not in use; the sockets transport serves. ${last.reason}`);
  show(byId('problems'), problems(reactors));
  drawTotals(process, reactors);
  drawReactors(reactors);
  drawEndpoints(last.endpoints);
  for (const [figure, text] of texts) {
    figure.draw(text);
  }
}

function drawTotals(process, reactors) {
  const newest = name => track(name).values.at(-1);
  total('requests', 'Requests', perSecond).draw(known(perSecond, newest('requests')));
  for (const column of reactors.length > 0 ? columns.filter(each => each.inTotals) : []) {
    const of = column.of ? ` of ${count(reactors.reduce((sum, reactor) => sum + reactor[column.of], 0))}` : '';
    total(column.name, column.isMean ? `${column.title}, mean` : column.title, column.format, column.limit)
      .draw(known(column.format, newest(column.name)) + of);
  }
  total('cpu', 'Processors in use', count).draw(`${known(value => value.toFixed(2), newest('cpu'))} of ${process.processors}`);
  total('memory', 'Memory of the process', bytes).draw(bytes(process.memoryBytes));
  total('heap', 'Managed heap', bytes).draw(bytes(process.heapBytes));
}

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
    say(shown.condition, reactor.condition === 'stalled' || reactor.condition === 'stuck' ? `${reactor.condition} ${seconds(reactor.turnMs / 1000)}`
      : reactor.condition === 'paused' ? 'not accepting' : reactor.condition);
  }
  for (const column of columns) {
    const names = reactors.map(reactor => `${reactor.id}.${column.name}`);
    const limit = column.limit ?? ceiling(highest(names));
    say(column.scale, `0 to ${column.format(limit)}`);
    for (const reactor of reactors) {
      const cell = row(reactor.id).cells.get(column.name);
      const of = column.of ? ` of ${count(reactor[column.of])}` : '';
      say(cell.value, known(column.format, track(`${reactor.id}.${column.name}`).values.at(-1)) + of);
      cell.plot.draw(limit);
    }
  }
}

function runsOn(endpoint) {
  const left = `${count(endpoint.quickRuns)} of ${count(endpoint.neededRuns)} quick runs`;
  return { inline: 'reactor', pinned: 'thread pool, as it asks for', proving: `thread pool: ${left}`, demoted: `thread pool, demoted: ${left}` }[endpoint.state];
}

function drawEndpoints(endpoints) {
  byId('endpoints').hidden = endpoints.length === 0;
  const body = byId('endpoints').querySelector('tbody');
  while (body.rows.length > endpoints.length) {
    body.deleteRow(-1);
  }
  endpoints.forEach((endpoint, index) => {
    const shown = body.rows[index] ?? body.appendChild(element('tr', {},
      element('th', { scope: 'row' }), element('td', {}), element('td', {}), element('td', {})));
    shown.dataset.state = endpoint.state;
    const stall = endpoint.demotions > 0 ? seconds(endpoint.stalledMs / 1000) : '\u2013';
    [endpoint.name || 'the pipeline', runsOn(endpoint), count(endpoint.demotions), stall].forEach((text, cell) => say(shown.cells[cell], text));
  });
}

function status(state, text) {
  byId('status').dataset.state = state;
  say(byId('status'), text);
}

const address = `${location.pathname.replace(/\/+$/, '')}/events`;
function connect() {
  const source = new EventSource(address);
  source.onmessage = message => {
    take(JSON.parse(message.data));
    status('live', isHeld ? 'live, held' : 'live');
    draw();
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) {
      // The browser gives up on any answer but 200, and does not say what it was.
      explain();
      setTimeout(connect, 5000);
    } else {
      status('lost', 'connection lost, trying again');
    }
  };
}

async function explain() {
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (answer.ok) {
      await answer.body.cancel();
    } else {
      const isText = (answer.headers.get('Content-Type') ?? '').startsWith('text/plain');
      status('lost', `refused (${answer.status}), trying again. ${isText ? (await answer.text()).trim() : ''}`);
    }
  } catch {
    status('lost', 'no connection, trying again');
  }
}

setInterval(() => {
  const silent = Math.floor((performance.now() - arrived) / 1000);
  if (last && silent >= 5 && byId('status').dataset.state === 'live') {
    status('lost', 'no figures come: the reactor of this connection is held up, or the process');
  }
}, 1000);

byId('hold').addEventListener('click', () => {
  isHeld = !isHeld;
  byId('hold').setAttribute('aria-pressed', String(isHeld));
  draw();
});
document.addEventListener('visibilitychange', draw);
connect();
