import { words } from '../../words/language.ts';

export const profileWords = words({
  en: {
    email: 'Email',
    role: 'Role',
    companies: 'Companies',
    about: 'Name',
    displayName: 'Display name',
    profileSaved: 'Your name was saved.',
    profileFailed: 'Your name was not saved.',
    settings: 'Language and time zone',
    settingsHint:
      'Moments are shown in this zone; days as the bank booked them. Both count from now on, on all devices.',
    newPasswordTitle: 'Change password',
    currentPassword: 'Current password',
    newPassword: 'New password',
    newPasswordHint: 'At least 12 characters. All of your other sessions end, on every device.',
    changePassword: 'Change password',
    passwordChanged: 'Your password was changed. Your other sessions have ended.',
    passwordWrong: 'The current password is wrong.',
    passwordFailed: 'The password was not changed.',
  },
  tr: {
    email: 'E-posta',
    role: 'Rol',
    companies: 'Şirketler',
    about: 'Ad',
    displayName: 'Görünen ad',
    profileSaved: 'Adınız kaydedildi.',
    profileFailed: 'Adınız kaydedilemedi.',
    settings: 'Dil ve saat dilimi',
    settingsHint:
      'Anlar bu dilimde, günler bankanın kaydettiği gibi gösterilir. İkisi de şimdiden başlayarak tüm cihazlarda geçerlidir.',
    newPasswordTitle: 'Parolayı değiştir',
    currentPassword: 'Şimdiki parola',
    newPassword: 'Yeni parola',
    newPasswordHint: 'En az 12 karakter. Tüm cihazlardaki diğer oturumlarınız kapanır.',
    changePassword: 'Parolayı değiştir',
    passwordChanged: 'Parolanız değiştirildi. Diğer oturumlarınız kapandı.',
    passwordWrong: 'Şimdiki parola yanlış.',
    passwordFailed: 'Parola değiştirilemedi.',
  },
});
