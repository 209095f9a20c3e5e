using System.Globalization;

namespace Ioxide.Tls;

/// <summary>
/// The two forms of an international server name: as it is sent (<c>xn--</c>, RFC 6066, section 3) and as SslStream gives it to applications.
/// </summary>
/// <remarks>Threads: any.</remarks>
internal static class ServerNames
{
    private static readonly IdnMapping s_mapping = new();

    /// <summary>As it is sent; old clients send the other form.</summary>
    internal static string ToWire(string name)
    {
        try
        {
            return Ascii.IsValid(name) ? name : s_mapping.GetAscii(name);
        }
        catch (ArgumentException)
        {
            // No name of that kind.
            return name;
        }
    }

    /// <summary>As SslStream gives it.</summary>
    internal static string ToText(string name)
    {
        try
        {
            return s_mapping.GetUnicode(name);
        }
        catch (ArgumentException)
        {
            return name;
        }
    }
}
