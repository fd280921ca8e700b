"use strict";
// The filter of the page of verdicts: by paper, by verdict, and by words.

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("filter"), rows = [...document.querySelectorAll("table.verdicts tbody tr")];
  const parts = [...document.querySelectorAll("table.verdicts")].map((table) => table.closest("section"));

  function apply() {
    const { paper, verdict, words } = Object.fromEntries(new FormData(form)), wanted = words.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = (!paper || row.dataset.paper === paper) && (!verdict || row.dataset.verdict === verdict);
      row.hidden = !(fits && wanted.every((word) => text.includes(word)));
    }
    for (const part of parts) part.hidden = !part.querySelector("tbody tr:not([hidden])");
    const shown = rows.filter((row) => !row.hidden).length;
    document.getElementById("shown").textContent = `${shown} of ${rows.length} numbers`;
  }

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
});
