using System.Text;

namespace Ioxide.Pg;

/// <summary>Text of the application as UTF-8.</summary>
internal static class WireText
{
    /// <summary>
    /// Throws <see cref="EncoderFallbackException"/> for half of a surrogate pair: a replacement would be stored in its place, and nobody would
    /// notice.
    /// </summary>
    internal static readonly UTF8Encoding Encoding = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
}
