import { Command } from 'commander';
import { expect, test } from 'vitest';
import { SETTINGS } from '../config.ts';
import { optionOf } from './start.ts';

test.each(SETTINGS.map((setting) => [setting.flag, setting] as const))('--%s gives its value', (flag, setting) => {
  const command = new Command().addOption(optionOf(setting));
  command.parse([`--${flag}`, 'true'], { from: 'user' });
  expect(command.opts()).toEqual({ [setting.name]: 'true' });
});
