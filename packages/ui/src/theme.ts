import {
  type ActionIconProps,
  type BadgeProps,
  type ButtonProps,
  type CardProps,
  type ComboboxParsedItem,
  type CSSVariablesResolver,
  createTheme,
  type DrawerProps,
  defaultOptionsFilter,
  type MenuProps,
  type ModalProps,
  type MultiSelectProps,
  type OptionsFilter,
  type PasswordInputProps,
  type PopoverProps,
  rem,
  type SelectProps,
  type TableProps,
  type TextareaProps,
  type TextInputProps,
  type TextProps,
  type TitleProps,
  type TooltipProps,
} from '@mantine/core';
import { count } from './format/number.ts';

/** Screen readers would announce a dialog's `header` element as a second banner of the page. */
const NO_BANNER = { header: { role: 'presentation' } };

/** A dialog's title contains a name, so it may be long. */
const LONG_TITLE = { title: { lineHeight: 1.35, overflowWrap: 'anywhere' } } as const;

/** Typed texts are names, ids or code, which the browser should neither complete nor check. A field that allows it says so itself. */
const OWN_WORDS = { autoComplete: 'off', spellCheck: false } as const;

/** The letters of code in a field. */
const CODE = { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem', lineHeight: 1.55 };

/** Sets default props without importing the components, which not every page needs. */
function defaults<Props>(defaultProps: Partial<Props>): { readonly defaultProps: Partial<Props> } {
  return { defaultProps };
}

/** The most choices that a list shows: thousands hold up the page for seconds. */
const MOST_CHOICES = 200;

/** The choices that have what is typed; the first of them where they are too many, with the number of the others. */
const bounded: OptionsFilter = ({ options, search }) => {
  const all = { options, search, limit: Number.POSITIVE_INFINITY };
  const found = defaultOptionsFilter(all) as ComboboxParsedItem[];
  const others = found.length - MOST_CHOICES;
  if (others <= 0) return found;
  const more = { value: '', label: `${count(others)} more: type a part of the name`, disabled: true };
  return [...found.slice(0, MOST_CHOICES), more];
};

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 7,
  defaultRadius: 'md',
  cursorType: 'pointer',
  // Without this, a dialog moves into place even with reduced motion, and a click may miss it.
  respectReducedMotion: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: rem(26), lineHeight: '1.25' },
      h2: { fontSize: rem(18), lineHeight: '1.35' },
      h3: { fontSize: rem(15), lineHeight: '1.4' },
    },
  },
  components: {
    ActionIcon: defaults<ActionIconProps>({ variant: 'default', size: 'lg' }),
    Badge: defaults<BadgeProps>({ variant: 'light' }),
    Button: defaults<ButtonProps>({ size: 'sm' }),
    Card: defaults<CardProps>({ withBorder: true, padding: 'md', radius: 'md', bg: 'var(--millrace-surface)' }),
    Drawer: defaults<DrawerProps>({ attributes: NO_BANNER, styles: LONG_TITLE }),
    Menu: defaults<MenuProps>({ withInitialFocusPlaceholder: false }),
    Modal: defaults<ModalProps>({
      centered: true,
      closeButtonProps: { 'aria-label': 'Close' },
      attributes: NO_BANNER,
      styles: LONG_TITLE,
    }),
    MultiSelect: defaults<MultiSelectProps>({ filter: bounded }),
    // What opens over the page belongs to its landmark.
    Popover: defaults<PopoverProps>({ portalProps: { target: 'main' } }),
    PasswordInput: defaults<PasswordInputProps>({
      ...OWN_WORDS,
      visibilityToggleButtonProps: { 'aria-label': 'Show what is typed', tabIndex: 0 },
    }),
    Select: defaults<SelectProps>({ filter: bounded }),
    Table: defaults<TableProps>({ verticalSpacing: 6, horizontalSpacing: 'md' }),
    Text: defaults<TextProps>({ size: 'sm' }),
    // What is written in several lines is code, or a list of ids.
    Textarea: defaults<TextareaProps>({ ...OWN_WORDS, styles: { input: CODE } }),
    TextInput: defaults<TextInputProps>(OWN_WORDS),
    Title: defaults<TitleProps>({ order: 2 }),
    Tooltip: defaults<TooltipProps>({ withArrow: true, events: { hover: true, focus: true, touch: true } }),
  },
});

/** Mantine's shades, changed where a text would have a contrast below 4.5:1. */
export const colorVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-7)',
    '--mantine-color-indigo-light-color': 'var(--mantine-color-indigo-9)',
    '--mantine-color-red-light-color': '#b02525',
    '--mantine-color-red-outline': '#b02525',
    '--mantine-color-green-light-color': '#1e6b2d',
    '--mantine-color-yellow-light-color': '#8a4b00',
    '--mantine-color-teal-light-color': '#05684b',
    '--mantine-color-orange-light-color': '#a03c00',
    '--mantine-color-gray-light-color': 'var(--mantine-color-gray-8)',
    '--millrace-good': '#087f5b',
    '--millrace-warn': '#a04b00',
    '--millrace-bad': '#c92a2a',
    '--millrace-surface': 'var(--mantine-color-white)',
    '--millrace-code': 'var(--mantine-color-gray-0)',
    '--millrace-border': 'var(--mantine-color-gray-3)',
  },
  dark: {
    '--mantine-color-dimmed': '#adb0b5',
    '--mantine-color-placeholder': '#a3a6ab',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-3)',
    '--mantine-color-indigo-light-color': 'var(--mantine-color-indigo-1)',
    '--mantine-color-red-light': '#3b2526',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-2)',
    '--mantine-color-red-outline': 'var(--mantine-color-red-2)',
    '--mantine-color-green-light-color': 'var(--mantine-color-green-2)',
    '--mantine-color-yellow-light': '#3a2f16',
    '--mantine-color-yellow-light-color': 'var(--mantine-color-yellow-2)',
    '--mantine-color-teal-light': '#17332a',
    '--mantine-color-teal-light-color': 'var(--mantine-color-teal-2)',
    '--mantine-color-orange-light-color': 'var(--mantine-color-orange-2)',
    '--mantine-color-gray-light-color': 'var(--mantine-color-gray-3)',
    '--millrace-good': 'var(--mantine-color-teal-4)',
    '--millrace-warn': 'var(--mantine-color-yellow-5)',
    '--millrace-bad': 'var(--mantine-color-red-4)',
    '--millrace-surface': 'var(--mantine-color-dark-7)',
    '--millrace-code': 'var(--mantine-color-dark-8)',
    '--millrace-border': 'var(--mantine-color-dark-4)',
  },
});
