using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>The fields of a message: a short list in order of arrival, searched from the start; reusable.</summary>
/// <remarks>Threads: the request's, one at a time.</remarks>
/// <param name="kind">What is checked when a field is set.</param>
/// <param name="encodings">The encodings in which texts are sent, by the field's name; null where all are ASCII.</param>
internal sealed class HeaderList(FieldsKind kind, Func<string, Encoding?>? encodings = null) : IHeaderDictionary
{
    private const int FirstCapacity = 16;

    private KeyValuePair<string, StringValues>[] _fields = new KeyValuePair<string, StringValues>[FirstCapacity];

    // The last length and its text: it is read several times per message, and often equal from one message to the next.
    private long _length;
    private string? _lengthText;
    private string? _lastChecked;
    private int _count;
    private KnownFields _known;

    // The server's own fields of sealed ones stand behind the application's from the first look on.
    private int _sealedCount;
    private bool _mustAddOwn;

    public int Count
    {
        get
        {
            AddOwn();
            return _count;
        }
    }

    /// <summary>The fields are sent and can no longer change.</summary>
    public bool IsReadOnly { get; internal set; }

    public ICollection<string> Keys => [.. this.Select(static pair => pair.Key)];

    public ICollection<StringValues> Values => [.. this.Select(static pair => pair.Value)];

    internal bool HasAny => _count > 0;

    internal string? OwnServer { get; private set; }

    internal string? OwnDate { get; private set; }

    /// <summary>The fields when they were sealed, without the server's own. Threads: any.</summary>
    internal ReadOnlySpan<KeyValuePair<string, StringValues>> Sealed => _fields.AsSpan(0, _sealedCount);

    public long? ContentLength
    {
        get
        {
            int index = IndexOf(HeaderNames.ContentLength);
            if (index < 0)
            {
                return null;
            }

            string text = _fields[index].Value.ToString();
            if (!ReferenceEquals(text, _lengthText))
            {
                if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long length))
                {
                    return null;
                }

                _length = length;
                _lengthText = text;
            }

            return _length;
        }

        set
        {
            ThrowIfReadOnly();
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0);
            if (value is { } length && (_lengthText is null || _length != length || !IsPlain(_lengthText)))
            {
                _length = length;
                _lengthText = length.ToString(CultureInfo.InvariantCulture);
            }

            this[HeaderNames.ContentLength] = value is null ? null : _lengthText;
        }
    }

    public StringValues this[string key]
    {
        get
        {
            int index = IndexOf(key);
            return index < 0 ? StringValues.Empty : _fields[index].Value;
        }

        set
        {
            ThrowIfReadOnly();
            int index = IndexOf(key);
            if (value.Count == 0)
            {
                RemoveAt(index);
                return;
            }

            value = Checked(key, value);
            if (index >= 0)
            {
                _fields[index] = new(_fields[index].Key, value);
            }
            else
            {
                Append(key, value);
            }
        }
    }

    StringValues IDictionary<string, StringValues>.this[string key]
    {
        get => TryGetValue(key, out StringValues value) ? value : throw new KeyNotFoundException();
        set => this[key] = value;
    }

    public void Add(string key, StringValues value)
    {
        ThrowIfReadOnly();
        if (IndexOf(key) >= 0)
        {
            throw new ArgumentException($"There is a field '{key}' already.", nameof(key));
        }

        Append(key, Checked(key, value));
    }

    public bool ContainsKey(string key) => IndexOf(key) >= 0;

    public bool Remove(string key)
    {
        ThrowIfReadOnly();
        int index = IndexOf(key);
        RemoveAt(index);
        return index >= 0;
    }

    public bool TryGetValue(string key, [MaybeNullWhen(false)] out StringValues value)
    {
        int index = IndexOf(key);
        value = index < 0 ? default : _fields[index].Value;
        return index >= 0;
    }

    public void Add(KeyValuePair<string, StringValues> item) => Add(item.Key, item.Value);

    public void Clear()
    {
        ThrowIfReadOnly();
        Forget();
    }

    public bool Contains(KeyValuePair<string, StringValues> item) => TryGetValue(item.Key, out StringValues value) && value == item.Value;

    public void CopyTo(KeyValuePair<string, StringValues>[] array, int arrayIndex) => _fields.AsSpan(0, Count).CopyTo(array.AsSpan(arrayIndex));

    public bool Remove(KeyValuePair<string, StringValues> item) => Contains(item) && Remove(item.Key);

    public IEnumerator<KeyValuePair<string, StringValues>> GetEnumerator()
    {
        for (int index = 0; index < Count; index++)
        {
            yield return _fields[index];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Adds a received field; an existing one gets another value.</summary>
    internal void AppendReceived(string name, string value)
    {
        int index = IndexOf(name);
        if (index < 0)
        {
            Append(name, value);
        }
        else
        {
            _fields[index] = new(_fields[index].Key, StringValues.Concat(_fields[index].Value, value));
        }
    }

    /// <summary>Whether one of these may be among a response's fields.</summary>
    internal bool Has(KnownFields which) => (_known & which) != 0;

    /// <summary>The fields change no more.</summary>
    /// <param name="ownServer">The server's own field, or null.</param>
    /// <param name="ownDate">As above.</param>
    internal void Seal(string? ownServer, string? ownDate)
    {
        IsReadOnly = true;
        _sealedCount = _count;
        _mustAddOwn = true;
        if (!ReferenceEquals(ownServer, OwnServer) || !ReferenceEquals(ownDate, OwnDate))
        {
            (OwnServer, OwnDate) = (ownServer, ownDate);
        }
    }

    /// <summary>The one value of a sealed field; null if it has none or several. Threads: any.</summary>
    internal string? Only(KnownFields which)
    {
        if (Has(which))
        {
            foreach (ref readonly KeyValuePair<string, StringValues> field in Sealed)
            {
                if (HeaderText.KnownOf(field.Key) == which)
                {
                    return field.Value.Count == 1 ? field.Value[0] : null;
                }
            }
        }

        return which switch
        {
            KnownFields.Server => OwnServer,
            KnownFields.Date => OwnDate,
            _ => null,
        };
    }

    /// <summary>Another message begins.</summary>
    internal void Begin()
    {
        Forget();
        IsReadOnly = false;
        _mustAddOwn = false;
    }

    /// <summary>Nothing of the message is kept.</summary>
    internal void Forget()
    {
        Array.Clear(_fields, 0, _count);
        _count = 0;
        _known = KnownFields.None;
    }

    /// <summary>Digits without leading zeros: the text that a number is written as.</summary>
    private static bool IsPlain(string length) => length.Length == 1 || length[0] != '0';

    private void Append(string key, StringValues value)
    {
        if (_count == _fields.Length)
        {
            Array.Resize(ref _fields, _fields.Length * 2);
        }

        _fields[_count++] = new(key, value);
        if (kind == FieldsKind.Response)
        {
            _known |= HeaderText.KnownOf(key);
        }
    }

    private void AddOwn()
    {
        if (_mustAddOwn)
        {
            _mustAddOwn = false;
            AppendIfAny(HeaderNames.Server, OwnServer);
            AppendIfAny(HeaderNames.Date, OwnDate);
        }

        void AppendIfAny(string name, string? value)
        {
            if (value is not null)
            {
                Append(name, value);
            }
        }
    }

    private int IndexOf(string key)
    {
        AddOwn();
        ReadOnlySpan<KeyValuePair<string, StringValues>> fields = _fields.AsSpan(0, _count);
        for (int index = 0; index < fields.Length; index++)
        {
            string name = fields[index].Key;
            if (ReferenceEquals(name, key) || (name.Length == key.Length && name.Equals(key, StringComparison.OrdinalIgnoreCase)))
            {
                return index;
            }
        }

        return -1;
    }

    private void RemoveAt(int index)
    {
        if (index >= 0)
        {
            _count--;
            Array.Copy(_fields, index + 1, _fields, index, _count - index);
            _fields[_count] = default;
        }
    }

    private void ThrowIfReadOnly()
    {
        if (IsReadOnly)
        {
            throw new InvalidOperationException("Headers are read-only, response has already started.");
        }
    }

    /// <summary>What fails where a block is written leaves the peer with another table.</summary>
    private static void ThrowIfUnwritable(string key, string value, Encoding encoding)
    {
        try
        {
            _ = encoding.GetByteCount(value);
        }
        catch (EncoderFallbackException exception)
        {
            throw new InvalidOperationException(
                $"Invalid character in the header '{key}': its encoding {encoding.WebName} cannot write it ({exception.Message})", exception);
        }
    }

    /// <summary>The values as they are kept: a length is one.</summary>
    private StringValues Checked(string key, StringValues values)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (kind == FieldsKind.Received)
        {
            return values;
        }

        KnownFields known = HeaderText.KnownOf(key);
        if (known == KnownFields.None && !HeaderText.IsToken(key))
        {
            throw new InvalidOperationException($"Invalid character in the header name '{key}'. Use a token (RFC 9110, section 5.6.2).");
        }

        Encoding? encoding = encodings?.Invoke(key);
        for (int index = 0; index < values.Count; index++)
        {
            // Constants of the application recur: the one that was checked last is known by its reference.
            string? value = values[index];
            if (value is not null && (encoding is not null || !ReferenceEquals(value, _lastChecked)))
            {
                if (HeaderText.InvalidCharacterOf(value, encoding) is >= 0 and int invalid)
                {
                    // Kestrel's words: gRPC shows them to its clients.
                    throw new InvalidOperationException($"Invalid non-ASCII or control character in header: 0x{(int)value[invalid]:X4}");
                }

                _lastChecked = encoding is null ? value : null;
                if (encoding is not null)
                {
                    ThrowIfUnwritable(key, value, encoding);
                }
            }
        }

        if (kind != FieldsKind.Response || known != KnownFields.ContentLength)
        {
            return values;
        }

        string length = values.ToString();
        return ReferenceEquals(length, _lengthText) || long.TryParse(length, NumberStyles.None, CultureInfo.InvariantCulture, out _)
            ? length
            : throw new InvalidOperationException($"Invalid Content-Length: \"{length}\". Value must be a non-negative integer, in digits alone.");
    }
}
