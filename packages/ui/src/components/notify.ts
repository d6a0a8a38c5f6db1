import { notifications } from '@mantine/notifications';
import { problemFrom, remedyFor } from '../api/problem.ts';

const CLOSE = { closeButtonProps: { 'aria-label': 'Close' } };

/** Says that something was done, where the page itself doesn't show it. */
export function notifyDone(message: string): void {
  notifications.show({ ...CLOSE, message, color: 'teal' });
}

/** Says what may go wrong later, and stays until it is closed. */
export function notifyDoubt(message: string): void {
  notifications.show({ ...CLOSE, message, color: 'yellow', autoClose: false });
}

/** For `onError` of what has no form: says what was not done and why. */
export function notifyFailed(title: string): (error: unknown) => void {
  return (error) => {
    const problem = problemFrom(error);
    const message = [problem.message, remedyFor(problem)].filter(Boolean).join(' ');
    notifications.show({ ...CLOSE, title, message, color: 'red', autoClose: false });
  };
}
