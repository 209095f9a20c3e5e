using System.Collections;
using System.Collections.Frozen;
using System.Net;
using System.IO.Pipelines;
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

/// <summary>The features of a request: the stream's own, those set on it, then the connection's.</summary>
internal abstract partial class Http2Stream : IFeatureCollection, IHttpConnectionFeature, IHttpBodyControlFeature, IHttp2StreamIdFeature,
    IHttpMinRequestBodyDataRateFeature, IPersistentStateFeature, IBodyReferenceFeature, IEndpointFeature, IRouteValuesFeature
{
    private static readonly FrozenSet<Type> s_own = FrozenSet.Create(
        typeof(IHttpRequestFeature),
        typeof(IHttpResponseFeature),
        typeof(IHttpResponseBodyFeature),
        typeof(IRequestBodyPipeFeature),
        typeof(IHttpRequestIdentifierFeature),
        typeof(IHttpRequestLifetimeFeature),
        typeof(IHttpConnectionFeature),
        typeof(IHttpRequestTrailersFeature),
        typeof(IHttpResponseTrailersFeature),
        typeof(IHttpResetFeature),
        typeof(IHttpMaxRequestBodySizeFeature),
        typeof(IHttpRequestBodyDetectionFeature),
        typeof(IHttpExtendedConnectFeature),
        typeof(IHttpUpgradeFeature),
        typeof(IBadRequestExceptionFeature),
        typeof(IHttpBodyControlFeature),
        typeof(IHttp2StreamIdFeature),
        typeof(IHttpMinRequestBodyDataRateFeature),
        typeof(IPersistentStateFeature),
        typeof(IBodyReferenceFeature),
        typeof(IEndpointFeature),
        typeof(IRouteValuesFeature));

    private const string OneRateForAll =
        "One minimum rate is for all requests of an HTTP/2 connection. It can be set to null for a request, and to a rate in KestrelServerLimits.";

    private readonly List<KeyValuePair<Type, object?>> _set = [];
    private bool _isOwnReplaced;
    private IHttpActivityFeature? _activity;
    private RouteValueDictionary? _routeValues;
    private Dictionary<object, object?>? _state;
    private string? _connectionId;
    private IPAddress? _remoteAddress;
    private IPAddress? _localAddress;
    private int? _remotePort;
    private int? _localPort;
    private volatile bool _isUntimed;

    public bool IsReadOnly => false;

    public int Revision { get; private set; }

    public bool AllowSynchronousIO { get; set; }

    int IHttp2StreamIdFeature.StreamId => StreamId;

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

    /// <summary>Whether the handler has begun to read a body with a minimum rate.</summary>
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
        if (memory.IsEmpty || !ReferenceEquals(body, Writer))
        {
            return false;
        }

        Writer.Append(memory, owner, isImmutable);
        return true;
    }

    string IHttpConnectionFeature.ConnectionId
    {
        get => _connectionId ?? Connection.Context.ConnectionId;
        set => _connectionId = value;
    }

    IPAddress? IHttpConnectionFeature.RemoteIpAddress
    {
        get => _remoteAddress ?? (Connection.Context.RemoteEndPoint as IPEndPoint)?.Address;
        set => _remoteAddress = value;
    }

    IPAddress? IHttpConnectionFeature.LocalIpAddress
    {
        get => _localAddress ?? (Connection.Context.LocalEndPoint as IPEndPoint)?.Address;
        set => _localAddress = value;
    }

    int IHttpConnectionFeature.RemotePort
    {
        get => _remotePort ?? (Connection.Context.RemoteEndPoint as IPEndPoint)?.Port ?? 0;
        set => _remotePort = value;
    }

    int IHttpConnectionFeature.LocalPort
    {
        get => _localPort ?? (Connection.Context.LocalEndPoint as IPEndPoint)?.Port ?? 0;
        set => _localPort = value;
    }

    public object? this[Type key]
    {
        get
        {
            int index = IndexOfSet(key);
            return index >= 0 ? _set[index].Value
                : key == typeof(IHttpActivityFeature) ? _activity
                : s_own.Contains(key) ? this
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
                _isOwnReplaced |= s_own.Contains(key);
                _set.Add(new(key, value));
            }
        }
    }

    public TFeature? Get<TFeature>()
    {
        if (!_isOwnReplaced && Own<TFeature>.IsOwn)
        {
            // One of the interfaces of this type: the check of the cast cannot fail, and a request asks a dozen times.
            object self = this;
            return Unsafe.As<object, TFeature>(ref self);
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

        foreach (Type key in s_own)
        {
            if (IndexOfSet(key) < 0)
            {
                yield return new(key, this);
            }
        }

        foreach (KeyValuePair<Type, object> feature in Connection.Context.Features)
        {
            if (IndexOfSet(feature.Key) < 0 && !s_own.Contains(feature.Key))
            {
                yield return feature;
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

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
        internal static readonly bool IsOwn = s_own.Contains(typeof(TFeature));
    }

    private void BeginFeatures()
    {
        AllowSynchronousIO = Connection.Options.AllowSynchronousIO;
        _isUntimed = false;
    }

    private void ForgetFeatures()
    {
        _set.Clear();
        _isOwnReplaced = false;
        _activity = null;
        _routeValues = null;
        ((IEndpointFeature)this).Endpoint = null;
        Revision++;
        _connectionId = null;
        _remoteAddress = null;
        _localAddress = null;
        _remotePort = null;
        _localPort = null;
    }
}
