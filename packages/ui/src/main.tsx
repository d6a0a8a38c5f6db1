import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './styles.css';
import './language.ts';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followAnswers } from './api/live.ts';
import { followReach } from './api/reach.ts';
import { focusFirstErrors } from './forms/first-error.ts';
import { createQueryClient } from './query-client.ts';
import { createAppRouter, leaveForSignIn } from './router.ts';
import { keepFocus } from './shell/kept-focus.ts';
import { styleNonce } from './style-nonce.ts';
import { colorVariables, theme } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const queryClient = createQueryClient(() => void leaveForSignIn(router));
const router = createAppRouter(queryClient);
followAnswers(queryClient);
followReach(queryClient);
focusFirstErrors();
keepFocus();

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={colorVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
