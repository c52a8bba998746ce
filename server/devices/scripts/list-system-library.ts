import { operation } from "@/server/ground/operation";
import { LIBRARY } from "./library.generated";
import { libraryInput, libraryOutput } from "./schema";

/**
 * The system script library (spec), the same for every organization, by name. category in any case; search requires
 * each word in name, description or category.
 */
export const listSystemLibrary = operation({
  input: libraryInput,
  output: libraryOutput,
  async run(_, { category, os, search }) {
    const words = (search ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const data = LIBRARY.filter((script) => {
      const text = `${script.name} ${script.description} ${script.category}`.toLowerCase();
      return (
        (!category || script.category === category.trim().toLowerCase()) &&
        (!os || script.osTypes.includes(os)) &&
        words.every((word) => text.includes(word))
      );
    });
    return {
      data: data.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.language < b.language ? -1 : 1)),
    };
  },
});
