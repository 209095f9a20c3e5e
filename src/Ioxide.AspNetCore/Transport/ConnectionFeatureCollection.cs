using System.Collections;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore;

/// <summary>The features of one connection: a short list, searched in order, one allocation.</summary>
internal sealed class ConnectionFeatureCollection : IFeatureCollection
{
    private KeyValuePair<Type, object>[] _items;
    private int _count;

    internal ConnectionFeatureCollection(int capacity) => _items = new KeyValuePair<Type, object>[capacity];

    public bool IsReadOnly => false;

    public int Revision { get; private set; }

    public object? this[Type key]
    {
        get
        {
            int index = IndexOf(key);
            return index < 0 ? null : _items[index].Value;
        }

        set
        {
            Revision++;
            int index = IndexOf(key);
            if (value is not null && index < 0)
            {
                Add(key, value);
            }
            else if (value is not null)
            {
                _items[index] = new KeyValuePair<Type, object>(key, value);
            }
            else if (index >= 0)
            {
                _count--;
                Array.Copy(_items, index + 1, _items, index, _count - index);
                _items[_count] = default;
            }
        }
    }

    public TFeature? Get<TFeature>() => (TFeature?)this[typeof(TFeature)];

    public void Set<TFeature>(TFeature? instance) => this[typeof(TFeature)] = instance;

    public IEnumerator<KeyValuePair<Type, object>> GetEnumerator()
    {
        for (int index = 0; index < _count; index++)
        {
            yield return _items[index];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal void Add(Type key, object value)
    {
        if (_count == _items.Length)
        {
            Array.Resize(ref _items, _items.Length * 2);
        }

        _items[_count++] = new KeyValuePair<Type, object>(key, value);
    }

    private int IndexOf(Type key)
    {
        for (int index = 0; index < _count; index++)
        {
            if (_items[index].Key == key)
            {
                return index;
            }
        }

        return -1;
    }
}
