// Public names of @homeostat/client. HTTP is under `./node`.

export type {
  ApiRequest,
  ApiResponse,
  DuplexConnection,
  Handle,
  Peer,
  RequestBody,
  ResponseBody,
  Transport,
  UserInfo,
} from './transport/transport.ts';
