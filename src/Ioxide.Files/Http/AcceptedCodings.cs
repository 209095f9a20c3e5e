namespace Ioxide.Files;

/// <summary>How much a client wants each coding, from an <c>Accept-Encoding</c> header.</summary>
/// <remarks>
/// Weights are thousandths. Source: RFC 9110, sections 12.4.2 and 12.5.3: a coding that is not named has the weight of
/// <c>*</c>; identity is acceptable unless it, or <c>*</c> without it, has the weight 0. Elements that are malformed are ignored.
/// </remarks>
internal readonly struct AcceptedCodings
{
    private const int MaxWeight = 1000;

    // Unnamed identity is wanted less than anything that is named.
    private const int LeastWeight = 0;
    private const int Refused = -1;

    private readonly short _identity;
    private readonly short _gzip;
    private readonly short _brotli;
    private readonly short _zstandard;

    private AcceptedCodings(int identity, int gzip, int brotli, int zstandard)
    {
        _identity = (short)identity;
        _gzip = (short)gzip;
        _brotli = (short)brotli;
        _zstandard = (short)zstandard;
    }

    /// <summary>Reads the header; one that is empty, or not there, accepts identity only.</summary>
    internal static AcceptedCodings Parse(ReadOnlySpan<byte> header)
    {
        const int Unnamed = -2;
        int identity = Unnamed;
        int gzip = Unnamed;
        int brotli = Unnamed;
        int zstandard = Unnamed;
        int star = Unnamed;
        while (!header.IsEmpty)
        {
            ReadOnlySpan<byte> element = HeaderText.TakeElement(ref header);
            ReadOnlySpan<byte> name = HeaderText.TakeUntil(ref element, (byte)';');
            if (name.IsEmpty || !TryReadWeight(element, out int weight))
            {
                continue;
            }

            weight = weight == 0 ? Refused : weight;
            if (Is(name, "gzip"u8) || Is(name, "x-gzip"u8))
            {
                gzip = weight;
            }
            else if (Is(name, "br"u8))
            {
                brotli = weight;
            }
            else if (Is(name, "zstd"u8))
            {
                zstandard = weight;
            }
            else if (Is(name, "identity"u8))
            {
                identity = weight;
            }
            else if (Is(name, "*"u8))
            {
                star = weight;
            }
        }

        int others = star == Unnamed ? Refused : star;
        return new AcceptedCodings(
            identity != Unnamed ? identity : star == Refused ? Refused : LeastWeight,
            gzip != Unnamed ? gzip : others,
            brotli != Unnamed ? brotli : others,
            zstandard != Unnamed ? zstandard : others);
    }

    /// <summary>From 0 to 1000; negative where the client refuses the coding.</summary>
    internal int WeightOf(FileCoding coding) => coding switch
    {
        FileCoding.Gzip => _gzip,
        FileCoding.Brotli => _brotli,
        FileCoding.Zstandard => _zstandard,
        _ => _identity,
    };

    private static bool Is(ReadOnlySpan<byte> name, ReadOnlySpan<byte> coding)
        => System.Text.Ascii.EqualsIgnoreCase(name, coding);

    /// <summary>Reads <c>q=0.5</c>, or 1 where there is nothing. Source: RFC 9110, section 12.4.2.</summary>
    private static bool TryReadWeight(ReadOnlySpan<byte> parameter, out int weight)
    {
        const int MaxLength = 5;
        weight = MaxWeight;
        if (parameter.IsEmpty)
        {
            return true;
        }

        if (parameter.Length < 3 || (parameter[0] | 0x20) != 'q' || parameter[1] != '=')
        {
            return false;
        }

        ReadOnlySpan<byte> value = parameter[2..];
        if (value.Length > MaxLength || value[0] is not ((byte)'0' or (byte)'1') || (value.Length > 1 && value[1] != '.'))
        {
            return false;
        }

        weight = (value[0] - '0') * MaxWeight;
        int scale = 100;
        foreach (byte digit in value.Length > 2 ? value[2..] : default)
        {
            if (!char.IsAsciiDigit((char)digit))
            {
                return false;
            }

            weight += (digit - '0') * scale;
            scale /= 10;
        }

        return weight <= MaxWeight;
    }
}
