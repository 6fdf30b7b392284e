import { words } from '../../words/language.ts';

export const signInWords = words({
  en: {
    heading: 'Sign in',
    email: 'Email',
    password: 'Password',
    signIn: 'Sign in',
    company: 'Group of companies',
    several: 'You belong to several groups of companies. Choose the one to sign in to.',
    wrong: 'Email or password is wrong, or you may not sign in.',
    slow: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
    failed: 'The sign-in failed.',
    withProvider: 'Use your organisation’s account',
    wrongThere: 'Your organisation’s account may not sign in here.',
  },
  tr: {
    heading: 'Giriş',
    email: 'E-posta',
    password: 'Parola',
    signIn: 'Giriş yap',
    company: 'Şirketler grubu',
    several: 'Birden çok şirketler grubuna üyesiniz. Giriş yapılacak olanı seçin.',
    wrong: 'E-posta veya parola yanlış ya da giriş yetkiniz yok.',
    slow: (seconds) => `Çok fazla deneme yapıldı. ${seconds} saniye sonra yeniden deneyin.`,
    failed: 'Giriş yapılamadı.',
    withProvider: 'Kurum hesabını kullan',
    wrongThere: 'Kurum hesabınızla buraya giriş yapılamıyor.',
  },
});
