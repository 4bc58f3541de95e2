/** Prose with everything that it may have. */
export const prose = `# Counting apples

An empty basket is \`null\` in the list, so its *place* was counted. **Full baskets** were right all along; ~~the list~~ the [documentation](https://orchard.example/docs) says so.[^1]

## What changed

1. \`count\` leaves out empty baskets.
2. The tests cover both:
   - a full basket,
   - an empty one.

- [x] the count
- [ ] the tests

> Rows are counted once, from the top.

\`\`\`js
// Baskets that hold something.
export const count = (baskets) => baskets.filter((basket) => basket !== null).length;
const label = \`\${count([1, null])} of 2\`;
\`\`\`

| basket | before | now |
|:--|--:|--:|
| red | 1 | 1 |
| empty | 1 | 0 |

### Not done

The words on the signs are still the old ones.

---

[^1]: In the chapter about harvests.
`;
