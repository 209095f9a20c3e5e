'use strict';

// How figures read. Every function takes a finite number; "known" takes any and shows a dash for none.
const compact = new Intl.NumberFormat('en', { notation: 'compact', minimumFractionDigits: 1, maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

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

function seconds(value) {
  const ms = value * 1000;
  return ms >= 1000 ? `${value.toFixed(1)} s` : `${ms.toFixed(ms === 0 || ms >= 10 ? 0 : ms >= 1 ? 1 : 2)} ms`;
}

const duration = value => Math.abs(value) >= 172800 ? `${(value / 86400).toFixed(0)} days`
  : Math.abs(value) >= 7200 ? `${(value / 3600).toFixed(0)} h` : seconds(value);

const percent = value => `${(value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
const perSecond = value => `${count(value)}/s`;
const bytesPerSecond = value => `${bytes(value)}/s`;
const known = (format, value) => Number.isFinite(value) ? format(value) : '\u2013';

// Ends of scales are round.
const scaleText = (format, limit) => format(limit).replace(/(\.[0-9]*?)0+(?![0-9])/, '$1').replace(/\.(?![0-9])/, '');

function ago(age) {
  return age === 0 ? 'now' : age < 60 ? `${age} s ago` : age % 60 === 0 ? `${age / 60} min ago` : `${Math.floor(age / 60)} min ${age % 60} s ago`;
}

const plural = (amount, one) => `${whole.format(amount)} ${one}${amount === 1 ? '' : 's'}`;

// The least of 1, 2, 5, 10, 20, ... times "least" that is enough, so that a scale changes seldom.
function ceiling(value, least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, least)) + 1e-9);
  return [1, 2, 5, 10].map(step => step * power).find(limit => limit >= value) ?? 10 * power;
}
