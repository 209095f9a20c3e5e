// Shows what the browser knows of each file of the page, and what the server counted.
const rows = document.getElementById("files");
const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
for (const entry of entries) {
  const row = rows.insertRow();
  row.insertCell().textContent = new URL(entry.name).pathname;
  row.insertCell().textContent = entry.transferSize === 0 ? "kept" : entry.encodedBodySize;
  row.insertCell().textContent = entry.decodedBodySize;
}

const answer = await fetch("/api/statistics").catch(() => null);
if (answer?.ok) {
  const [folder] = await answer.json();
  document.getElementById("counts").textContent =
    `${folder.hits} answers since the start, ${folder.notModified} of them not modified, ${folder.byReference} sent without a copy.`;
}
