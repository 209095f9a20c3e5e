using System.Collections;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ioxide.Http2;

/// <summary>The features of a request: those of its parts, those set on it, then the connection's.</summary>
internal abstract partial class HttpExchange : IFeatureCollection, IHttpBodyControlFeature, IHttp2StreamIdFeature, IHttpMinRequestBodyDataRateFeature,
    IBadRequestExceptionFeature, IPersistentStateFeature, IBodyReferenceFeature, IEndpointFeature, IRouteValuesFeature
{
    private const string OneRateForAll =
        "One minimum rate is for all requests of an HTTP/2 connection. It can be set to null for a request, and to a rate in KestrelServerLimits.";

    private readonly List<KeyValuePair<Type, object?>> _set = [];
    private bool _isOwnReplaced;
    private IHttpActivityFeature? _activity;
    private RouteValueDictionary? _routeValues;
    private Dictionary<object, object?>? _state;
    private HttpConnectionFeature? _connection;
    private bool _isConnectionRead;
    private volatile bool _isUntimed;

    public bool IsReadOnly => false;

    public int Revision { get; private set; }

    public bool AllowSynchronousIO { get; set; }

    int IHttp2StreamIdFeature.StreamId => Stream.StreamId;

    /// <summary>As in Kestrel, all requests of a connection share one rate: a request can only opt out, by null.</summary>
    MinDataRate? IHttpMinRequestBodyDataRateFeature.MinDataRate
    {
        get => throw new NotSupportedException(OneRateForAll);

        set
        {
            if (value is not null)
            {
                throw new NotSupportedException(OneRateForAll);
            }

            _isUntimed = true;
        }
    }

    /// <summary>Whether the handler has begun to read a body with a minimum rate. Threads: any.</summary>
    internal bool IsBodyTimed => Body is { HasBody: true, IsStarted: true } && !_isUntimed && !IsExtendedConnect;

    IDictionary<object, object?> IPersistentStateFeature.State => _state ??= [];

    Endpoint? IEndpointFeature.Endpoint { get; set; }

    RouteValueDictionary IRouteValuesFeature.RouteValues
    {
        get => _routeValues ??= [];
        set => _routeValues = value;
    }

    bool IBodyReferenceFeature.IsOfStream => true;

    /// <summary>Whatever replaced the body's writer wants to see the bytes.</summary>
    bool IBodyReferenceFeature.TryWrite(PipeWriter body, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        if (memory.IsEmpty || !ReferenceEquals(body, Answer))
        {
            return false;
        }

        Answer.Append(memory, owner, isImmutable);
        return true;
    }

    public object? this[Type key]
    {
        get
        {
            int index = IndexOfSet(key);
            return index >= 0 ? _set[index].Value
                : key == typeof(IHttpActivityFeature) ? _activity
                : OwnFeatures.PartOf(key) is not ExchangePart.None and ExchangePart part ? OwnOf(part)
                : Connection.Context.Features[key];
        }

        set
        {
            Revision++;
            if (key == typeof(IHttpActivityFeature))
            {
                // The host sets it for each request that has an activity.
                _activity = (IHttpActivityFeature?)value;
                return;
            }

            int index = IndexOfSet(key);
            if (index >= 0)
            {
                _set[index] = new(key, value);
            }
            else
            {
                _isOwnReplaced |= OwnFeatures.PartOf(key) != ExchangePart.None;
                _set.Add(new(key, value));
            }
        }
    }

    public TFeature? Get<TFeature>()
    {
        ExchangePart part = Own<TFeature>.Part;
        if (!_isOwnReplaced && part != ExchangePart.None)
        {
            // The part has the interface: the check of the cast cannot fail, and a request asks a dozen times.
            object own = OwnOf(part);
            return Unsafe.As<object, TFeature>(ref own);
        }

        return (TFeature?)this[typeof(TFeature)];
    }

    public void Set<TFeature>(TFeature? instance) => this[typeof(TFeature)] = instance;

    public IEnumerator<KeyValuePair<Type, object>> GetEnumerator()
    {
        foreach (KeyValuePair<Type, object?> feature in _set)
        {
            if (feature.Value is not null)
            {
                yield return new(feature.Key, feature.Value);
            }
        }

        if (_activity is not null)
        {
            yield return new(typeof(IHttpActivityFeature), _activity);
        }

        foreach (Type key in OwnFeatures.All)
        {
            if (IndexOfSet(key) < 0)
            {
                yield return new(key, OwnOf(OwnFeatures.PartOf(key)));
            }
        }

        foreach (KeyValuePair<Type, object> feature in Connection.Context.Features)
        {
            if (IndexOfSet(feature.Key) < 0 && OwnFeatures.PartOf(feature.Key) == ExchangePart.None)
            {
                yield return feature;
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private object OwnOf(ExchangePart part) => part switch
    {
        ExchangePart.Request => Request,
        ExchangePart.Answer => Answer,
        ExchangePart.Connection => ConnectionFeature,
        ExchangePart.Connect => _connect ??= new ExtendedConnect(this),
        _ => this,
    };

    internal HttpConnectionFeature ConnectionFeature
    {
        get
        {
            HttpConnectionFeature feature = _connection ??= new HttpConnectionFeature();
            if (!_isConnectionRead)
            {
                _isConnectionRead = true;
                var remote = Connection.Context.RemoteEndPoint as IPEndPoint;
                var local = Connection.Context.LocalEndPoint as IPEndPoint;
                feature.ConnectionId = Connection.Context.ConnectionId;
                (feature.RemoteIpAddress, feature.RemotePort) = (remote?.Address, remote?.Port ?? 0);
                (feature.LocalIpAddress, feature.LocalPort) = (local?.Address, local?.Port ?? 0);
            }

            return feature;
        }
    }

    private int IndexOfSet(Type key)
    {
        ReadOnlySpan<KeyValuePair<Type, object?>> set = CollectionsMarshal.AsSpan(_set);
        for (int index = 0; index < set.Length; index++)
        {
            if (set[index].Key == key)
            {
                return index;
            }
        }

        return -1;
    }

    private static class Own<TFeature>
    {
        internal static readonly ExchangePart Part = OwnFeatures.PartOf(typeof(TFeature));
    }

    private void ForgetFeatures()
    {
        _set.Clear();
        _isOwnReplaced = false;
        _activity = null;
        _routeValues = null;
        _isConnectionRead = false;
        ((IEndpointFeature)this).Endpoint = null;
        Revision++;
    }
}
