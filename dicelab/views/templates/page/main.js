// The page.

import { readAddress } from "./address.js";
import { newClient } from "./client.js";
import { pigOf } from "./game.js";
import { Race } from "./race.js";
import { newSeed, seeded } from "./random.js";

const client = newClient();
const { state } = readAddress(location.hash);

client.ask("surface", { game: pigOf(state.die, state.target) }).then(({ values }) => {
  const race = new Race(pigOf(state.die, state.target), values, seeded(newSeed()));
  document.getElementById("status").textContent = `Your chance of winning: ${(100 * race.chance(0)).toFixed(1)} %`;
});
