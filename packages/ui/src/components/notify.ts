import { notifications } from '@mantine/notifications';
import { problemFrom, remedyFor } from '../api/problem.ts';

const CLOSE = { closeButtonProps: { 'aria-label': 'Close' } };

/** Reports that something was done, if the page itself does not show it. */
export function notifyDone(message: string): void {
  notifications.show({ ...CLOSE, message, color: 'teal' });
}

/** Warns of what may go wrong later. Stays until the user closes it. */
export function notifyDoubt(message: string): void {
  notifications.show({ ...CLOSE, message, color: 'yellow', autoClose: false });
}

/** An `onError` for actions without a form: says what was not done, and why. */
export function notifyFailed(title: string): (error: unknown) => void {
  return (error) => {
    const problem = problemFrom(error);
    const message = [problem.message, remedyFor(problem)].filter(Boolean).join(' ');
    notifications.show({ ...CLOSE, title, message, color: 'red', autoClose: false });
  };
}
