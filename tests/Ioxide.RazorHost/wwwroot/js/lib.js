export const name = "Razor";
