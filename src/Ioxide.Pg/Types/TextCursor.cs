namespace Ioxide.Pg;

/// <summary>Parses the text of a value. Text that does not match is not consumed.</summary>
internal ref struct TextCursor(ReadOnlySpan<byte> text)
{
    private ReadOnlySpan<byte> _rest = text;

    internal readonly ReadOnlySpan<byte> Rest => _rest;

    internal readonly bool IsAtEnd => _rest.IsEmpty;

    internal bool TryTake(byte expected)
    {
        if (_rest.IsEmpty || _rest[0] != expected)
        {
            return false;
        }

        _rest = _rest[1..];
        return true;
    }

    internal bool TryTake(scoped ReadOnlySpan<byte> expected)
    {
        if (!_rest.StartsWith(expected))
        {
            return false;
        }

        _rest = _rest[expected.Length..];
        return true;
    }

    internal void SkipSpaces() => _rest = _rest.TrimStart((byte)' ');

    /// <summary>Reads digits, at most eighteen.</summary>
    internal bool TryNumber(out long value)
    {
        int length = _rest.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        length = length < 0 ? _rest.Length : length;
        value = 0;
        if (length is 0 or > 18)
        {
            return false;
        }

        foreach (byte digit in _rest[..length])
        {
            value = value * 10 + (digit - '0');
        }

        _rest = _rest[length..];
        return true;
    }

    /// <summary>Reads digits after a point, as a count of the smallest unit; more digits than the unit has are an error.</summary>
    internal bool TryFraction(int digitCount, out long value)
    {
        int before = _rest.Length;
        if (!TryNumber(out value) || before - _rest.Length > digitCount)
        {
            return false;
        }

        for (int missing = digitCount - (before - _rest.Length); missing > 0; missing--)
        {
            value *= 10;
        }

        return true;
    }

    /// <summary>Takes everything before one of the bytes, or the rest.</summary>
    internal ReadOnlySpan<byte> TakeUntil(scoped ReadOnlySpan<byte> stops)
    {
        int length = _rest.IndexOfAny(stops);
        ReadOnlySpan<byte> taken = length < 0 ? _rest : _rest[..length];
        _rest = _rest[taken.Length..];
        return taken;
    }
}
