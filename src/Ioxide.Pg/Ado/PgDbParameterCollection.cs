using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg.Data;

/// <summary>The parameters of a command, found by case-insensitive name or by position.</summary>
[SuppressMessage("Design", "CA1010", Justification = "The base class says what it enumerates.")]
public sealed class PgDbParameterCollection : DbParameterCollection
{
    private readonly List<PgDbParameter> _items = [];

    internal PgDbParameterCollection()
    {
    }

    /// <inheritdoc/>
    public override int Count => _items.Count;

    /// <inheritdoc/>
    public override object SyncRoot => ((ICollection)_items).SyncRoot;

    /// <summary>The parameter at a position.</summary>
    public new PgDbParameter this[int index]
    {
        get => _items[index];
        set => _items[index] = Cast(value);
    }

    /// <inheritdoc/>
    public override int Add(object value)
    {
        _items.Add(Cast(value));
        return _items.Count - 1;
    }

    /// <summary>Adds a parameter.</summary>
    public PgDbParameter Add(PgDbParameter parameter)
    {
        ArgumentNullException.ThrowIfNull(parameter);
        _items.Add(parameter);
        return parameter;
    }

    /// <summary>Adds a parameter with a name and a value.</summary>
    public PgDbParameter AddWithValue(string name, object? value) => Add(new PgDbParameter(name, value));

    /// <summary>Adds a positional parameter.</summary>
    public PgDbParameter AddWithValue(object? value) => Add(new PgDbParameter(null, value));

    /// <inheritdoc/>
    public override void AddRange(Array values)
    {
        ArgumentNullException.ThrowIfNull(values);
        foreach (object? value in values)
        {
            Add(value!); // Add refuses null.
        }
    }

    /// <inheritdoc/>
    public override void Clear() => _items.Clear();

    /// <inheritdoc/>
    public override bool Contains(object value) => value is PgDbParameter parameter && _items.Contains(parameter);

    /// <inheritdoc/>
    public override bool Contains(string? value) => IndexOf(value) >= 0;

    /// <inheritdoc/>
    public override void CopyTo(Array array, int index) => ((ICollection)_items).CopyTo(array, index);

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => _items.GetEnumerator();

    /// <inheritdoc/>
    public override int IndexOf(object value) => value is PgDbParameter parameter ? _items.IndexOf(parameter) : -1;

    /// <inheritdoc/>
    public override int IndexOf(string? parameterName)
        => parameterName is null ? -1
            : IndexOf(parameterName.Length > 0 && parameterName[0] is '@' or ':' ? parameterName[1..] : parameterName, 0);

    /// <inheritdoc/>
    public override void Insert(int index, object value) => _items.Insert(index, Cast(value));

    /// <inheritdoc/>
    public override void Remove(object value) => _items.Remove(Cast(value));

    /// <inheritdoc/>
    public override void RemoveAt(int index) => _items.RemoveAt(index);

    /// <inheritdoc/>
    public override void RemoveAt(string parameterName) => _items.RemoveAt(Required(parameterName));

    /// <inheritdoc/>
    protected override DbParameter GetParameter(int index) => _items[index];

    /// <inheritdoc/>
    protected override DbParameter GetParameter(string parameterName) => _items[Required(parameterName)];

    /// <inheritdoc/>
    protected override void SetParameter(int index, DbParameter value) => _items[index] = Cast(value);

    /// <exception cref="ArgumentException">There is no parameter of that name, or the new one has another.</exception>
    protected override void SetParameter(string parameterName, DbParameter value)
    {
        int index = Required(parameterName);
        PgDbParameter parameter = Cast(value);
        _items[index] = parameter.IsNamed(_items[index].BareName) ? parameter
            : throw new ArgumentException(
                $"The parameter '{parameter.ParameterName}' cannot take the place of '{parameterName}': the text would no longer find that name.");
    }

    /// <summary>Finds the parameter of a name without marker.</summary>
    /// <param name="bareName">The name.</param>
    /// <param name="guess">The position to try first: names are mostly in the order of the text.</param>
    internal int IndexOf(string bareName, int guess)
    {
        if (guess < _items.Count && _items[guess].IsNamed(bareName))
        {
            return guess;
        }

        for (int i = 0; i < _items.Count; i++)
        {
            if (_items[i].IsNamed(bareName))
            {
                return i;
            }
        }

        return -1;
    }

    /// <summary>Whether a parameter takes a value of the first row.</summary>
    internal bool HasOutput()
    {
        foreach (PgDbParameter parameter in _items)
        {
            if (parameter.IsOutput)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a value has to be read to its end before it can be sent.</summary>
    internal bool HasStreams()
    {
        foreach (PgDbParameter parameter in _items)
        {
            if (parameter.Value is Stream or TextReader)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Reads the streams among the values.</summary>
    internal async Task ReadStreamsAsync(CancellationToken cancellationToken)
    {
        foreach (PgDbParameter parameter in _items)
        {
            await parameter.ReadStreamAsync(isBlocking: false, cancellationToken).ConfigureAwait(false);
        }
    }

    private int Required(string name)
    {
        int index = IndexOf(name);
        return index >= 0 ? index : throw new ArgumentException($"There is no parameter '{name}'.", nameof(name));
    }

    private static PgDbParameter Cast(object? value, [CallerArgumentExpression(nameof(value))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(value, name);
        return value as PgDbParameter
            ?? throw new InvalidCastException($"Only a {nameof(PgDbParameter)} can be added; {nameof(PgDbCommand.CreateParameter)} makes one.");
    }
}
