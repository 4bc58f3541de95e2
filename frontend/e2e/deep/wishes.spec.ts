import type { Page } from '@playwright/test';
import { Random } from '../../src/markdown/testing/random';
import { chunk, type Puppet, toolCall } from '../support/puppet';
import type { Screen } from '../support/screen';
import { expect, test } from '../support/test';
import type { Weft } from '../support/weft';

// Where the user wants to be, at random, from a seed: places far and near, matches, the end, and prompts, one soon after the other while an
// agent writes. The last wish is the one that counts. It runs by hand: WEFT_SEED=1,2 names the seeds, WEFT_STEPS the number of rounds.

test.describe.configure({ mode: 'parallel' });

const seeds = process.env['WEFT_SEED']?.split(',').map(Number) ?? [];
const rounds = Number(process.env['WEFT_STEPS'] ?? 25);
const turns = 3;
const perTurn = 600;

async function long(weft: Weft) {
  const { puppet, space } = await weft.puppet();
  await weft.call('UpdateSpace', { spaceId: space.id, title: 'Long' });
  for (let n = 0; n < turns; n++) {
    await weft.call('SendPrompt', { spaceId: space.id, text: `Turn ${n}` });
    const turn = await puppet.turn();
    turn.updates(
      Array.from({ length: perTurn }, (_, i) => n * perTurn + i).map((at) =>
        at % 2 === 0
          ? chunk(`Segment ${at} says a line or so about apples.`)
          : toolCall({ toolCallId: `t${at}`, title: `Read ${at}`, kind: 'read', status: 'completed' }),
      ),
    );
    turn.end();
    await expect
      .poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs, { timeout: 60_000 })
      .toEqual([]);
  }
  return { space, puppet };
}

/** What is seen once a wish has come true. */
type Wish = () => Promise<void>;

interface Place {
  hash: string;
  text: string;
}

class Wishes {
  private readonly page: Page;
  private readonly ui: Screen;
  private readonly puppet: Puppet;
  readonly random: Random;
  private readonly places: readonly Place[];
  private turn: Awaited<ReturnType<Puppet['turn']>> | null = null;
  private sent = 0;
  private grown = 0;

  constructor(page: Page, ui: Screen, puppet: Puppet, seed: number, places: readonly Place[]) {
    this.page = page;
    this.ui = ui;
    this.puppet = puppet;
    this.random = new Random(seed);
    this.places = places;
  }

  /** One wish; what it is to lead to. */
  async wish(): Promise<[name: string, wish: Wish]> {
    const kind = this.random.below(10);
    if (kind < 4) return this.place();
    if (kind < 6) return this.match();
    if (kind < 9) return this.end();
    return this.send();
  }

  /** The agent writes on, if it is at it. */
  grow(): void {
    if (this.turn !== null && this.random.below(2) === 0) this.turn.say(`More ${this.grown++}.\n\n`);
  }

  async over(): Promise<void> {
    this.turn?.end();
    this.turn = null;
    await this.ui.idle();
  }

  private async place(): Promise<[string, Wish]> {
    // The address that is there already is no wish to a browser.
    const now = new URL(this.page.url()).hash;
    const { hash, text } = this.random.pick(this.places.filter((one) => one.hash !== now));
    await this.page.evaluate((to) => {
      window.location.hash = to;
    }, hash);
    return [`place ${text}`, () => expect(this.ui.text(text)).toBeInViewport()];
  }

  private async match(): Promise<[string, Wish]> {
    const { text } = this.random.pick(this.places);
    const bar = this.page.getByRole('search', { name: 'Find in this conversation' });
    await this.page.keyboard.press('Control+f');
    const field = bar.getByRole('textbox');
    await expect(field).toBeFocused();
    await field.fill(text);
    await expect(bar.getByRole('status')).toHaveText('1 of 1');
    await this.page.keyboard.press('Enter');
    if (this.random.below(2) === 0) await this.page.keyboard.press('Escape');
    return [`match ${text}`, () => expect(this.ui.text(text)).toBeInViewport()];
  }

  private async end(): Promise<[string, Wish]> {
    await this.page.keyboard.press('Control+End');
    return ['end', () => this.atEnd()];
  }

  private async send(): Promise<[string, Wish]> {
    await this.over();
    const text = `Prompt ${this.sent++}`;
    await this.ui.composer.click();
    await this.page.keyboard.insertText(text);
    await this.page.keyboard.press('Enter');
    this.turn = await this.puppet.turn();
    return [
      text,
      async () => {
        await expect(this.ui.transcript.locator('.prompt').filter({ hasText: text })).toBeInViewport();
        await this.atEnd();
      },
    ];
  }

  private async atEnd(): Promise<void> {
    await expect(this.page.getByRole('button', { name: /^(Go to latest|New messages)/ })).toHaveCount(0);
    const left = () =>
      this.ui.transcript.evaluate(
        ({ scrollTop, scrollHeight, clientHeight }) => scrollHeight - clientHeight - scrollTop,
      );
    await expect.poll(left).toBeLessThan(7);
  }
}

for (const seed of seeds)
  test(`the last wish counts, seed ${seed}`, async ({ weft, page, ui }) => {
    test.setTimeout(900_000);
    const { space, puppet } = await long(weft);
    const places: Place[] = [];
    for (let at = 10; at < turns * perTurn; at += 130) {
      const text = `Segment ${at} says`;
      const { messageId, segment } = await weft.placeOf(space, text);
      places.push({ hash: `#/space/${space.id}/${messageId}.${segment}`, text });
    }
    await weft.open(page);
    await ui.idle();
    const wishes = new Wishes(page, ui, puppet, seed, places);
    for (let round = 0; round < rounds; round++) {
      const names: string[] = [];
      let last: Wish = async () => {};
      for (let i = wishes.random.below(4); i >= 0; i--) {
        const [name, wish] = await wishes.wish();
        names.push(name);
        last = wish;
        wishes.grow();
        if (i > 0) await ui.frames(wishes.random.below(8));
      }
      await test.step(names.join(' → '), async () => {
        // Whatever still moves the view has done so.
        await ui.frames(40);
        await ui.rests();
        await last();
      });
      wishes.grow();
    }
    await wishes.over();
  });
