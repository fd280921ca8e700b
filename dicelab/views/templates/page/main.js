// The page.

import { newClient } from "./client.js";
import { FAIR, pigOf } from "./game.js";

const client = newClient();

client.ask("surface", { game: pigOf(FAIR, 100) }).then(({ values }) => {
  document.getElementById("status").textContent = `Your chance of winning: ${(100 * values[0]).toFixed(1)} %`;
});
