using System.Runtime.CompilerServices;

namespace Ioxide.Files;

/// <summary>How much a client wants each coding, from an <c>Accept-Encoding</c> header.</summary>
/// <remarks>
/// Weights are thousandths. Source: RFC 9110, sections 12.4.2 and 12.5.3: a coding that is not named has the weight of
/// <c>*</c>; identity is acceptable unless it, or <c>*</c> without it, has the weight 0. Elements that are malformed are ignored.
/// </remarks>
internal struct AcceptedCodings
{
    private const int MaxWeight = 1000;

    // Unnamed identity is wanted less than any coding that is named.
    private const int LeastWeight = 0;
    private const int Refused = -1;
    private const int Unnamed = -2;

    private Weights _weights;

    /// <summary>Reads the header. An empty or absent one accepts identity only.</summary>
    internal static AcceptedCodings Parse(ReadOnlySpan<char> header)
    {
        var accepted = default(AcceptedCodings);
        Span<int> weights = accepted._weights;
        weights.Fill(Unnamed);
        int star = Unnamed;
        while (!header.IsEmpty)
        {
            ReadOnlySpan<char> element = HeaderText.TakeElement(ref header);
            ReadOnlySpan<char> name = HeaderText.TakeUntil(ref element, ';');
            if (name.IsEmpty || !TryReadWeight(element, out int weight))
            {
                continue;
            }

            weight = weight == 0 ? Refused : weight;
            if (FileCodings.TryParse(name, out FileCoding coding))
            {
                weights[(int)coding] = weight;
            }
            else if (name.SequenceEqual("*"))
            {
                star = weight;
            }
        }

        ref int identity = ref weights[(int)FileCoding.Identity];
        identity = identity != Unnamed ? identity : star == Refused ? Refused : LeastWeight;
        weights.Replace(Unnamed, star == Unnamed ? Refused : star);

        return accepted;
    }

    /// <summary>From 0 to 1000; negative where the client refuses the coding.</summary>
    internal readonly int WeightOf(FileCoding coding) => _weights[(int)coding];

    /// <summary>Reads <c>q=0.5</c>, or 1 where there is nothing. Source: RFC 9110, section 12.4.2.</summary>
    private static bool TryReadWeight(ReadOnlySpan<char> parameter, out int weight)
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

        ReadOnlySpan<char> value = parameter[2..];
        if (value.Length > MaxLength || value[0] is not ('0' or '1') || (value.Length > 1 && value[1] != '.'))
        {
            return false;
        }

        weight = (value[0] - '0') * MaxWeight;
        int scale = 100;
        foreach (char digit in value.Length > 2 ? value[2..] : default)
        {
            if (!char.IsAsciiDigit(digit))
            {
                return false;
            }

            weight += (digit - '0') * scale;
            scale /= 10;
        }

        return weight <= MaxWeight;
    }

    [InlineArray(FileCodings.Count)]
    private struct Weights
    {
        private int _first;
    }
}
